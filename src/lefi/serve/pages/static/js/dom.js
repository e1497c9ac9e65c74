// Elements without markup in strings: text stays text, whatever a client calls itself.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, part] of Object.entries(value)) element.style.setProperty(key, part);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function toast(text) {
  const note = h("div", { class: "toast", role: "status" }, text);
  document.body.append(note);
  setTimeout(() => note.remove(), 4000);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied.");
  } catch {
    toast(text);
  }
}

export function copied(command) {
  return h("span", { class: "copy" }, h("code", {}, command), h("button", { type: "button", class: "text", onclick: () => copy(command) }, "Copy"));
}

// A question with fields; gives their values, or null where it was cancelled.
export function ask(title, text, fields, go, danger = false) {
  return new Promise((resolve) => {
    const inputs = fields.map((field) => h("input", { name: field.name, required: true, ...field.attributes }));
    const dialog = h("dialog", { "aria-label": title },
      h("form", { method: "dialog" },
        h("h2", {}, title), text && h("p", { class: "muted" }, text),
        fields.map((field, at) => h("label", { class: "field" }, field.label, inputs[at])),
        h("div", { class: "buttons" },
          h("button", { type: "button", onclick: () => dialog.close("") }, "Cancel"),
          h("button", { class: danger ? "danger" : "main", value: "go" }, go))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "go" ? Object.fromEntries(inputs.map((input) => [input.name, input.value])) : null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
