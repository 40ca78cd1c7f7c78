import { contentOf, type DomDocument, type DomElement } from './dom.ts';
import type { LeftOuts } from './left-out.ts';

export interface Controls {
  readonly panels: ReadonlyMap<DomElement, DomElement>;
  readonly all: ReadonlySet<DomElement>;
  readonly hidden: ReadonlySet<DomElement>;
}

const HEADING = 'h1, h2, h3, h4, h5, h6, dt';
const CONTROL = 'button, summary, [role="button"], [role="tab"], [aria-controls], [aria-expanded], [data-toggle], [data-bs-toggle]';
const REFERS =
  '[aria-controls], [data-bs-target], [data-target], [data-toggle][href], [data-bs-toggle][href], [role="tab"][href], [role="button"][href]';
const MAX_LABEL = 200;

/** Finds the controls that open panels. A control refers to its panel, or is directly above it. */
export function controlsIn(document: DomDocument): Controls {
  const hidden = hiddenIn(document);
  const panels = new Map<DomElement, DomElement>();
  const pair = (panel: DomElement | null, control: DomElement | null): void => {
    if (!panel || !control || panels.has(panel) || panel.matches('nav, ul[role="menu"]') || contentOf(control).length > MAX_LABEL) return;
    if (contentOf(control) !== '') panels.set(panel, control);
  };
  for (const label of document.querySelectorAll('input[type="checkbox"] + label, input[type="radio"] + label'))
    pair(panelUnder(label), label);
  for (const control of document.querySelectorAll(REFERS)) for (const id of targetsOf(control)) pair(document.getElementById(id), control);
  for (const panel of document.querySelectorAll('[role="tabpanel"], [role="region"]'))
    for (const id of (panel.getAttribute('aria-labelledby') ?? '').split(/\s+/)) if (id) pair(panel, document.getElementById(id));
  for (const panel of document.querySelectorAll('div, section, dd, p, ul, ol, article'))
    pair(panel, controlAbove(panel, hidden.has(panel)));
  return { panels, all: new Set(panels.values()), hidden };
}

function targetsOf(control: DomElement): readonly string[] {
  const ids = (control.getAttribute('aria-controls') ?? '').split(/\s+/);
  const targets = ['data-bs-target', 'data-target', 'href'].map(
    (name) => /^#([^\s,>]+)$/.exec(control.getAttribute(name) ?? '')?.[1] ?? '',
  );
  return [...ids, ...targets].filter((id) => id !== '');
}

/** Returns the panel under a label. Null if the label is a choice in a form. */
function panelUnder(label: DomElement): DomElement | null {
  const next = label.nextElementSibling;
  return next?.matches('div, section, article, ul, ol, p') === true && contentOf(next) !== '' && !next.querySelector('input, textarea')
    ? next
    : null;
}

function controlAbove(panel: DomElement, isHidden: boolean): DomElement | null {
  const above = panel.previousElementSibling;
  if (!above) return null;
  const asks = /\?\s*$/.test(contentOf(above));
  // A hidden block directly below a question is its answer, whatever element the question is in.
  if (asks && (isHidden || (above.matches('dt') && panel.matches('dd')))) return above;
  if (above.matches(HEADING)) {
    const isPressed = ['onclick', 'tabindex', 'role', 'aria-expanded'].some((name) => above.hasAttribute(name));
    if (isPressed || above.querySelector(CONTROL)) return above;
    return null;
  }
  if (!above.matches(CONTROL) || above.matches('summary')) return null;
  return isHidden || above.hasAttribute('aria-expanded') || /accordion|collaps|faq|toggle/i.test(above.getAttribute('class') ?? '')
    ? above
    : null;
}

const HIDDEN =
  /(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?![.\d])|(?:left|top|text-indent)\s*:\s*-\d{4,}px)/i;
const MARKED = '[hidden], [aria-hidden="true"], [style], .d-none, .hidden, .invisible, .is-hidden, .hide';
const HIDING_CLASS = /(?:^|\s)(?:d-none|hidden|invisible|is-hidden|hide)(?:\s|$)/;
const SHOWING_CLASS = /(?:^|\s)(?:d-(?:sm|md|lg|xl|xxl)-(?!none)|(?:sm|md|lg|xl|2xl):)/;

function hiddenIn(document: DomDocument): ReadonlySet<DomElement> {
  const marked = [...document.querySelectorAll(MARKED)].filter(
    (element) =>
      element.hasAttribute('hidden') ||
      element.getAttribute('aria-hidden') === 'true' ||
      HIDDEN.test(element.getAttribute('style') ?? '') ||
      isHiddenByClass(element.getAttribute('class') ?? ''),
  );
  return new Set([...marked, ...styledBy(document, HIDDEN)]);
}

const isHiddenByClass = (names: string): boolean => HIDING_CLASS.test(names) && !SHOWING_CLASS.test(names);

export function styledBy(document: DomDocument, look: RegExp): readonly DomElement[] {
  const sheets = [...document.querySelectorAll('style')].map((style) => style.textContent ?? '').join('\n');
  return selectorsOf(sheets, look).flatMap((selector) => matching(document, selector));
}

const MAX_SELECTORS = 200;

function selectorsOf(css: string, look: RegExp): readonly string[] {
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, '');
  const selectors = [...plain.matchAll(/([^{};]{1,300})\{([^{}]*)\}/g)].flatMap(([, names = '', rules = '']) =>
    look.test(rules) ? names.split(',') : [],
  );
  return selectors
    .map((selector) => selector.trim())
    .filter((selector) => selector !== '' && !selector.includes(':'))
    .slice(0, MAX_SELECTORS);
}

function matching(document: DomDocument, selector: string): readonly DomElement[] {
  try {
    return [...document.querySelectorAll(selector)];
  } catch {
    return [];
  }
}

export function removeHidden({ panels, hidden }: Controls, leftOut: LeftOuts): void {
  for (const element of hidden) {
    if (panels.has(element) || element.matches('body, html')) continue;
    if (contentOf(element) !== '' && !element.closest('nav, script, style')) leftOut.add('hiddenText');
    element.remove();
  }
}
