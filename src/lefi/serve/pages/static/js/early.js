// Before the first paint: the theme that was chosen, or that of the system.
document.documentElement.dataset.theme =
  localStorage.getItem("lefi-theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
