// Colours come from the style sheet, so that charts follow the theme.
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function faded(name, share) {
  return `color-mix(in srgb, ${colour(name)} ${Math.round(100 * share)}%, transparent)`;
}

// The colours of lefi/palette.py; a test compares them.
const KNOWN = ["lefi", "waterfill", "uniform", "bara", "random", "price", "auction", "posted", "contract", "pool", "contest", "flat"];
export const ofMechanism = (name) => (KNOWN.includes(name) ? name : "accent");
