// @ts-check
// Sets the kept choice of light or dark before the page is drawn, so that it does not flash. A plain script for that
// reason; the switch itself is settings.js.
try {
  document.documentElement.dataset.theme = JSON.parse(localStorage.getItem("abapa") ?? "{}").theme ?? "auto";
} catch {
  document.documentElement.dataset.theme = "auto";
}
