// Numbers and times as people read them.
const none = "\u2013";

export function amount(value, digits = 2) {
  if (value === null || value === undefined || Number.isNaN(value)) return none;
  const size = Math.abs(value);
  const places = size !== 0 && size < 0.1 ? Math.min(6, 1 - Math.floor(Math.log10(size))) : digits;
  return value.toLocaleString("en-US", { minimumFractionDigits: Math.min(places, digits), maximumFractionDigits: places });
}

export function exact(text) {
  return text ? text.replace(/(\.\d\d\d*?)0+$/, "$1") : none;
}

export function accuracy(value) {
  return value === null || value === undefined ? none : value.toFixed(3);
}

export function signed(value) {
  if (value === null || value === undefined) return "";
  if (Math.abs(value) < 5e-4) return "steady";
  return `${value < 0 ? "\u2212" : "+"}${Math.abs(value).toFixed(3)}`;
}

export function whole(value) {
  return value === null || value === undefined ? none : value.toLocaleString("en-US");
}

export function short(value) {
  if (value === null || value === undefined) return none;
  return Number(value.toPrecision(3)).toLocaleString("en-US", { maximumSignificantDigits: 3 });
}

export function ago(at) {
  if (!at) return none;
  const seconds = Math.max(0, (Date.now() - new Date(at).getTime()) / 1000);
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h ago`;
  return new Date(at).toISOString().slice(0, 10);
}

export function moment(at) {
  return at ? at.replace("T", " ").slice(0, 19) : none;
}
