import { createRequire } from 'node:module';
import { Readability } from '@mozilla/readability';
import { contentOf, type DomDocument, type DomElement } from './dom.ts';
import { tableIn } from './dom-tables.ts';
import { LeftOuts } from './left-out.ts';
import { controlsIn, removeHidden, styledBy } from './panels.ts';
import { type Block, type Contents, MAX_TITLE } from './reading.ts';
import { blocksOfTable } from './tables.ts';
import { Headings } from './texts.ts';

/**
 * Reads the visible content of a page. Menus, controls and forms are left out. Collapsed panels are
 * read under the button that opens them, and a question and its answer are kept together. Footers
 * and headers are read for addresses and hours.
 */

interface Jsdom {
  readonly JSDOM: new (html: string) => { readonly window: { readonly document: DomDocument } };
}

/** Loaded with `require`, because its types would add browser types to the whole gateway. */
const { JSDOM }: Jsdom = createRequire(import.meta.url)('jsdom');

const MACHINERY = 'script, style, noscript, template, iframe, object, svg, nav, [role="navigation"]';
const NOTE_MARKS =
  'sup a[href^="#"], a[href^="#"]:has(> sup), a[href^="#footnote-ref"], a[href^="#endnote-ref"], a[href^="#_ftn"], a[href^="#_edn"], a[href^="#sdfootnote"], a[href^="#sdendnote"], a[role="doc-backlink"], a[role="doc-noteref"], sup.reference';
const STRUCK = 's, strike, del';
const CONTROLS = 'button, select, textarea, input, label, option, datalist, legend, [role="button"]:not(:is(h1, h2, h3, h4, h5, h6))';
const BLOCKS =
  /^(P|DIV|SECTION|ARTICLE|MAIN|HEADER|FORM|FIELDSET|UL|OL|DL|BLOCKQUOTE|PRE|FIGURE|FIGCAPTION|DETAILS|SUMMARY|ADDRESS|CENTER)$/;
const LINES = /^(LI|DT|DD|BR|HR|TR)$/;
/** Minimum share of the page's text in its main article. A shorter one may be one of many answers. */
const MOST = 0.6;
const LINKED = 0.7;
const MAX_CHOICES = 30;
const MAX_ANSWER = 1_000;
const QUESTION =
  /\?\s*$|^(apa|apakah|bagaimana|gimana|berapa|kapan|di ?mana|ke mana|siapa|mengapa|kenapa|bisakah|bolehkah|adakah|how|what|when|where|which|who|why|can|could|do|does|is|are|will|may)\b/i;

/** `isPage`: the text is from a web page, so menus may surround it. */
export function contentsOfHtml(html: string, isPage: boolean): Contents {
  const { document } = new JSDOM(html).window;
  const leftOut = new LeftOuts();
  const title = document.title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE) || null;
  const controls = controlsIn(document);
  removeHidden(controls, leftOut);
  removeStruck(document, leftOut);
  for (const element of document.querySelectorAll(MACHINERY)) element.remove();
  for (const element of document.querySelectorAll(NOTE_MARKS)) element.remove();
  removeForms(document, controls);
  const labels = new Map([...controls.panels].map(([panel, control]) => [panel, contentOf(control)]));
  for (const control of controls.all) if (!control.closest('h1, h2, h3, h4, h5, h6, summary')) control.remove();
  const { blocks, asides } = blocksOfElement(document.body, labels);
  if (!isPage) return { title, blocks: [...blocks, ...asides], leftOut: leftOut.list };
  const headers = [...document.querySelectorAll('header')].flatMap((header) => blocksOfElement(header, labels).blocks);
  const article = controls.panels.size > 0 ? [] : articleOf(document);
  const isArticle = lengthOf(article) >= MOST * lengthOf(blocks);
  const written = article.map(({ heading, text }) => `${heading} ${text}`).join(' ');
  const main = isArticle ? [...article, ...headers.filter(({ text }) => !written.includes(text.trim()))] : blocks;
  return { title, blocks: [...main, ...asides], leftOut: leftOut.list };
}

const lengthOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { text }) => sum + text.length, 0);

/** Finds a page's main article. Modifies `document`. */
function articleOf(document: DomDocument): readonly Block[] {
  const article = new Readability(document).parse();
  if (!article?.content) return [];
  const { blocks, asides } = blocksOfElement(new JSDOM(article.content).window.document.body, new Map());
  return [...blocks, ...asides];
}

const STRIKES = /text-decoration[^;]*line-through/i;

function removeStruck(document: DomDocument, leftOut: LeftOuts): void {
  const styled = [...document.querySelectorAll('[style]')].filter((element) => STRIKES.test(element.getAttribute('style') ?? ''));
  for (const element of new Set([...document.querySelectorAll(STRUCK), ...styled, ...styledBy(document, STRIKES)])) {
    if (contentOf(element) !== '') leftOut.add('struck');
    element.remove();
  }
}

function removeForms(document: DomDocument, controls: ReturnType<typeof controlsIn>): void {
  const all = contentOf(document.body).length;
  for (const form of document.querySelectorAll('form')) {
    const isPage = form.querySelector('h1, h2, main, article, table, footer') !== null || contentOf(form).length > all / 2;
    if (!isPage) form.remove();
  }
  for (const select of document.querySelectorAll('select'))
    if (!select.closest('nav, header, footer')) select.replaceWith(choicesOf(select));
  for (const element of document.querySelectorAll(CONTROLS)) if (!controls.all.has(element)) element.remove();
  for (const element of document.querySelectorAll('footer ul, footer ol, header ul, aside ul, aside ol'))
    if (isMenu(element)) element.remove();
}

/** Returns the choices as text. A long list, such as a list of countries, is left out (''). */
function choicesOf(select: DomElement): string {
  const choices = [...select.querySelectorAll('option')]
    .filter((option) => option.getAttribute('value') !== '')
    .map(contentOf)
    .filter((choice) => !/^(choose|select|pilih)\b/i.test(choice));
  return choices.length < 2 || choices.length > MAX_CHOICES ? '' : choices.join(', ');
}

function isMenu(list: DomElement): boolean {
  const links = [...list.querySelectorAll('a')].filter((link) => !/^(tel|mailto|https?:\/\/wa\.me)/i.test(link.getAttribute('href') ?? ''));
  const linked = links.reduce((sum, link) => sum + contentOf(link).length, 0);
  return linked > 0 && linked >= LINKED * contentOf(list).length;
}

interface Read {
  readonly blocks: readonly Block[];
  readonly asides: readonly Block[];
}

function blocksOfElement(root: DomElement, labels: ReadonlyMap<DomElement, string>): Read {
  let headings = new Headings();
  let blocks: Block[] = [];
  const asides: Block[] = [];
  let text = '';
  const flush = (): void => {
    if (text.trim() !== '') blocks.push({ heading: headings.current, text });
    text = '';
  };

  function walk(element: DomElement): void {
    for (const child of element.childNodes) {
      if (child.nodeType === 3) text += (child.nodeValue ?? '').replace(/\s+/g, ' ');
      else if (child.nodeType === 1) enter(child);
    }
  }

  function enter(element: DomElement): void {
    const label = labels.get(element);
    if (label) panel(label, () => walk(element));
    else enterPlain(element);
  }

  /** Reads a panel. If its label is a question, the content becomes the answer to it. */
  function panel(label: string, read: () => void): void {
    flush();
    const above = blocks;
    blocks = [];
    headings.within(label, () => {
      read();
      flush();
    });
    const answer = blocks.map((block) => block.text.trim()).join('\n');
    const isOne = QUESTION.test(label) && answer.length <= MAX_ANSWER && blocks.every(({ isAnswer }) => !isAnswer);
    blocks = [...above, ...(isOne && answer !== '' ? [{ heading: label, text: answer, isAnswer: true } as const] : blocks)];
  }

  function aside(element: DomElement): void {
    flush();
    const [aboveHeadings, aboveBlocks] = [headings, blocks];
    [headings, blocks] = [new Headings(), []];
    walk(element);
    flush();
    asides.push(...blocks);
    [headings, blocks] = [aboveHeadings, aboveBlocks];
  }

  function enterPlain(element: DomElement): void {
    const name = element.tagName.toUpperCase();
    const level = /^H([1-6])$/.exec(name)?.[1];
    if (level !== undefined) {
      flush();
      headings.enter(Number(level), contentOf(element));
    } else if (name === 'TABLE' && !element.querySelector('table, h1, h2')) {
      flush();
      blocks.push(...blocksOfTable(tableIn(element), headings.current));
    } else if (name === 'DETAILS') {
      const summary = element.querySelector('summary');
      const label = summary ? contentOf(summary) : '';
      summary?.remove();
      panel(label, () => walk(element));
    } else if (name === 'FOOTER' || name === 'ASIDE') aside(element);
    else if (BLOCKS.test(name)) {
      flush();
      walk(element);
      flush();
    } else {
      if (LINES.test(name)) text += '\n';
      walk(element);
    }
  }

  walk(root);
  flush();
  return { blocks, asides };
}
