import { createRequire } from 'node:module';
import { Readability } from '@mozilla/readability';
import { type Block, type Contents, MAX_TITLE } from './reading.ts';
import { blocksOfTable, type Table } from './tables.ts';
import { Headings } from './texts.ts';

/** A node: of a text only the first four are there. */
interface DomElement {
  readonly nodeType: number;
  readonly nodeValue: string | null;
  readonly textContent: string | null;
  readonly childNodes: Iterable<DomElement>;
  readonly tagName: string;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  remove(): void;
}

interface DomDocument extends DomElement {
  readonly title: string;
  readonly body: DomElement;
}

interface Jsdom {
  readonly JSDOM: new (html: string) => { readonly window: { readonly document: DomDocument } };
}

/** Required: its own types would bring those of a browser into every file of the gateway. */
const { JSDOM }: Jsdom = createRequire(import.meta.url)('jsdom');

/** What is no text of a page, or not its own. */
const SKIPPED =
  'script, style, noscript, template, iframe, object, svg, nav, header, footer, aside, form, button, select, [hidden], [aria-hidden="true"]';
const BLOCKS = /^(P|DIV|SECTION|ARTICLE|MAIN|UL|OL|DL|BLOCKQUOTE|PRE|FIGURE|FIGCAPTION|DETAILS|SUMMARY|ADDRESS|CENTER)$/;
const LINES = /^(LI|DT|DD|BR|HR|TR)$/;
/** The article of a page is taken for all of it when it holds so much of its text: of a list of answers it may be only one. */
const MOST = 0.6;

/** Runs no scripts and loads nothing. `isPage`: it may have menus around its text. */
export function contentsOfHtml(html: string, isPage: boolean): Contents {
  const { window } = new JSDOM(html);
  const { document } = window;
  for (const element of document.querySelectorAll(SKIPPED)) element.remove();
  const title = document.title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE) || null;
  const whole = blocksOfElement(document.body);
  if (!isPage) return { title, blocks: whole };
  const article = articleOf(document);
  return { title, blocks: lengthOf(article) >= MOST * lengthOf(whole) ? article : whole };
}

const lengthOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { text }) => sum + text.length, 0);

/** It changes the document. */
function articleOf(document: DomDocument): readonly Block[] {
  const article = new Readability(document).parse();
  return article?.content ? blocksOfElement(new JSDOM(article.content).window.document.body) : [];
}

function blocksOfElement(root: DomElement): readonly Block[] {
  const headings = new Headings();
  const blocks: Block[] = [];
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
    const name = element.tagName.toUpperCase();
    const level = /^H([1-6])$/.exec(name)?.[1];
    if (level !== undefined) {
      flush();
      headings.enter(Number(level), (element.textContent ?? '').replace(/\s+/g, ' ').trim());
    } else if (name === 'TABLE' && !element.querySelector('table')) {
      flush();
      blocks.push(...blocksOfTable(cellsOf(element), headings.current));
    } else if (BLOCKS.test(name)) {
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
  return blocks;
}

const cellsOf = (table: DomElement): Table =>
  [...table.querySelectorAll('tr')].map((row) =>
    [...row.querySelectorAll('td, th')].map((cell) => (cell.textContent ?? '').replace(/\s+/g, ' ').trim()),
  );
