/** Changes of the colours, for what is drawn on a canvas and so has no style sheet. */

/** Calls `listener` when the theme of the page or of the system changes, until `signal` is aborted. */
export function onTheme(listener: () => void, signal: AbortSignal): void {
  const themes = new MutationObserver(listener);
  themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  signal.addEventListener('abort', () => themes.disconnect());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', listener, { signal });
}
