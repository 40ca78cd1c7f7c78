import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { Marked, Token, Tokens } from 'marked';
import { refusal } from '../../actors/domain/refusals.ts';
import { GUIDE_STYLE } from './docs-assets.ts';
import { inTurns } from './in-turns.ts';
import { hashOf, html, type Markup, type Page, raw, render } from './markup.ts';

/** A request can only choose one of the listed files. Its text is never part of a file path. */
export interface Guides {
  /** `slug` is the path below `/docs/`, or empty for the table of contents. Throws NOT_FOUND. */
  page(slug: string): Promise<Page>;
  search(wanted: string): Promise<Page>;
  picture(name: string): Buffer;
}

const ROOT = join(import.meta.dirname, '../..');
const CONTENTS = 'docs/README.md';
const PICTURES = 'docs/pictures';
const SLUGS: Readonly<Record<string, string>> = {
  [CONTENTS]: '',
  'docs/api.md': 'using-the-api',
  'docs/decisions/README.md': 'decisions',
};
const MAX_RESULTS = 30;
const AROUND = 90;

const slugOf = (file: string): string =>
  SLUGS[file] ??
  file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase();

const markdownIn = (folder: string): readonly string[] =>
  existsSync(join(ROOT, folder))
    ? readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => posix.join(folder, name))
    : [];

interface Section {
  readonly slug: string;
  readonly page: string;
  readonly title: string;
  readonly id: string;
  readonly text: string;
  readonly lower: string;
}

export function guidesOf(): Guides {
  let listed: ReadonlyMap<string, string> | undefined;
  let sections: Promise<readonly Section[]> | undefined;
  let menu: Promise<Markup> | undefined;
  const files = (): ReadonlyMap<string, string> => {
    listed ??= new Map(
      [...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'], ...markdownIn('docs'), ...markdownIn('docs/decisions')].map((file) => [
        slugOf(file),
        file,
      ]),
    );
    return listed;
  };
  const shell = async (title: string, body: Markup, wanted = ''): Promise<Page> => {
    menu ??= contents(textOf(CONTENTS), files());
    menu.catch(() => {
      menu = undefined;
    });
    return documentWith({ title, body, wanted, menu: await menu });
  };
  const made = async (file: string): Promise<Page> => {
    const parser = await parserOf(file, files());
    const text = textOf(file);
    return shell(titleIn(text), raw(await parser.parse(text)));
  };
  return {
    async page(slug) {
      const file = files().get(slug);
      if (file === undefined) throw refusal('NOT_FOUND');
      return made(file);
    },
    async search(wanted) {
      sections ??= sectionsIn(files());
      sections.catch(() => {
        sections = undefined;
      });
      const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
      const found = words.length === 0 ? [] : (await sections).filter(({ lower }) => words.every((word) => lower.includes(word)));
      const best = found.toSorted((one, other) => inTitle(other, words) - inTitle(one, words)).slice(0, MAX_RESULTS);
      return shell(`Search: ${wanted}`, results(best, words, found.length), wanted);
    },
    picture(name) {
      const path = join(ROOT, PICTURES);
      if (!existsSync(path) || !readdirSync(path).includes(name)) throw refusal('NOT_FOUND');
      return readFileSync(join(path, name));
    },
  };
}

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const titleIn = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? 'Guides';
const inTitle = ({ title, page }: Section, words: readonly string[]): number =>
  words.filter((word) => `${title} ${page}`.toLowerCase().includes(word)).length;

const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

function addressOf(href: string, file: string, files: ReadonlyMap<string, string>): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', hash] = href.split('#');
  const target = posix.join(dirname(file), path);
  if (dirname(target) === PICTURES) return `/docs/pictures/${posix.basename(target)}`;
  const slug = slugOf(target);
  return files.get(slug) === target ? `/docs/${slug}${hash === undefined ? '' : `#${hash}`}` : null;
}

async function parserOf(file: string, files: ReadonlyMap<string, string>): Promise<Marked> {
  const { Marked } = await import('marked');
  return new Marked({
    renderer: {
      heading({ tokens, text, depth }: Tokens.Heading) {
        return `<h${depth} id="${render(html`${idOf(text.replaceAll('`', ''))}`)}">${this.parser.parseInline(tokens)}</h${depth}>`;
      },
      link({ href, tokens }: Tokens.Link) {
        const shown = this.parser.parseInline(tokens);
        const address = addressOf(href, file, files);
        return address === null ? shown : render(html`<a href="${address}">${raw(shown)}</a>`);
      },
      image({ href, text }: Tokens.Image) {
        return render(html`<img src="${addressOf(href, file, files) ?? ''}" alt="${text}">`);
      },
      table(token: Tokens.Table) {
        const cells = (row: readonly Tokens.TableCell[], tag: string): string =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
        return `<div class="wide" tabindex="0"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${rows}</tbody></table></div>`;
      },
      code({ text }: Tokens.Code) {
        return render(html`<pre tabindex="0"><code>${text}</code></pre>`);
      },
      html: ({ text }: Tokens.HTML | Tokens.Tag) => render(html`${text}`),
    },
  });
}

async function contents(text: string, files: ReadonlyMap<string, string>): Promise<Markup> {
  const { marked } = await import('marked');
  const groups: Markup[] = [];
  for (const token of marked.lexer(text)) {
    if (token.type === 'heading' && token.depth === 2) groups.push(html`<p class="group">${token.text}</p>`);
    if (token.type === 'list') groups.push(html`<ul>${token.items.map((item: Token) => entryOf(item, files))}</ul>`);
  }
  return html`${groups}`;
}

function entryOf(item: Token, files: ReadonlyMap<string, string>): Markup {
  const link = /\[([^\]]+)\]\(([^)]+)\)/.exec(item.raw);
  return html`<li><a href="${addressOf(link?.[2] ?? '', CONTENTS, files) ?? '/docs/'}">${link?.[1] ?? item.raw}</a></li>`;
}

async function sectionsIn(files: ReadonlyMap<string, string>): Promise<readonly Section[]> {
  const { marked } = await import('marked');
  const all = await inTurns([...files], ([slug, file]) => sectionsOf(slug, textOf(file), (text) => marked.lexer(text)));
  return all.flat();
}

function sectionsOf(slug: string, text: string, tokensOf: (text: string) => readonly Token[]): readonly Section[] {
  const found: { title: string; texts: string[] }[] = [{ title: '', texts: [] }];
  for (const token of tokensOf(text)) {
    if (token.type === 'heading') found.push({ title: token.text.replaceAll('`', ''), texts: [] });
    else found.at(-1)?.texts.push(token.raw);
  }
  const page = titleIn(text);
  return found.map(({ title, texts }) => {
    const plain = `${title}\n${texts.join('\n')}`.replace(/[`*|]|\]\([^)]*\)|\[|-{3,}/g, ' ').replace(/\s+/g, ' ');
    return { slug, page, title, id: idOf(title), text: plain, lower: plain.toLowerCase() };
  });
}

function results(sections: readonly Section[], words: readonly string[], count: number): Markup {
  if (words.length === 0) return html`<h1>Search</h1><p>Enter the words to search for in the field.</p>`;
  const shown = sections.map(({ slug, page, title, id, text, lower }) => {
    const at = Math.max(0, lower.indexOf(words[0] ?? '') - AROUND);
    return html`<li><a href="/docs/${slug}${id && `#${id}`}">${page}${title && title !== page ? ` › ${title}` : ''}</a><br>… ${text.slice(at, at + 2 * AROUND)} …</li>`;
  });
  const more = count > sections.length ? html`<p>The first ${sections.length} of ${count} sections are shown.</p>` : html``;
  return html`<h1>Search</h1>${count === 0 ? html`<p role="status">No section contains all these words.</p>` : html`<ol class="found">${shown}</ol>${more}`}`;
}

interface Shell {
  readonly title: string;
  readonly body: Markup;
  readonly wanted: string;
  readonly menu: Markup;
}

function documentWith({ title, body, wanted, menu }: Shell): Page {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Business Messaging Gateway</title><style>${raw(GUIDE_STYLE)}</style></head><body>
<a class="skip" href="#main">Skip to the page</a>
<nav aria-label="Guides"><p><a href="/docs/">Guides</a></p>
<form role="search" action="/docs/"><label>Search <input type="search" name="q" value="${wanted}" maxlength="100" autocomplete="off"></label></form>
<ul><li><a href="/docs/api">Reference of every endpoint</a></li></ul>${menu}</nav>
<main id="main">${body}</main></body></html>`;
  return {
    html: render(page),
    policy: `default-src 'none'; style-src '${hashOf(GUIDE_STYLE)}'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  };
}
