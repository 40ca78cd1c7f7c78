import type { Page } from 'playwright-core';

/** Resolves to the time (ms since 1970) of the frame after the one in which the text is in the open chat. */
export const paintedAt = (page: Page, text: string): Promise<number> => page.evaluate(`(${PAINTED})(${JSON.stringify(text)})`);

const PAINTED = `(text) => new Promise((resolve) => {
  const list = document.querySelector('[data-testid="message-list"]');
  const look = () => {
    if (!list.textContent.includes(text)) return false;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
    return true;
  };
  const watch = new MutationObserver(look);
  watch.observe(list, { childList: true, subtree: true, characterData: true });
  look();
})`;
