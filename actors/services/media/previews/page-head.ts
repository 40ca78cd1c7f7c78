import { decodeHTML } from 'entities';

/** Data from the head of a page, which is read once, in linear time, because it may be hostile. */
export interface PageHead {
  readonly title: string | null;
  readonly description: string | null;
  readonly picture: string | null;
}

const MAX_TITLE = 256;
const MAX_DESCRIPTION = 512;
const MAX_ATTRIBUTES = 32;
const TITLES = ['og:title', 'twitter:title', 'title'];
const DESCRIPTIONS = ['og:description', 'twitter:description', 'description'];
const PICTURES = ['og:image:secure_url', 'og:image:url', 'og:image', 'twitter:image'];
const WANTED: ReadonlySet<string> = new Set([...TITLES, ...DESCRIPTIONS, ...PICTURES]);
const TAG = /<(!--|\/?[a-z][a-z0-9]*)/gi;
const ATTRIBUTE = /[\s/]*([^\s=>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/y;
const END_OF_COMMENT = /-->/g;
const RAW: Readonly<Record<string, RegExp>> = {
  script: /<\/script/gi,
  style: /<\/style/gi,
  template: /<\/template/gi,
  textarea: /<\/textarea/gi,
  noscript: /<\/noscript/gi,
};

export function headOf(html: string): PageHead {
  const said = new Map<string, string>();
  const note = (name: string, value: string): void => {
    if (WANTED.has(name) && !said.has(name) && value.trim() !== '') said.set(name, value);
  };
  const tags = new RegExp(TAG);
  for (let tag = tags.exec(html); tag; tag = tags.exec(html)) {
    const name = (tag[1] ?? '').toLowerCase();
    if (name === '/head' || name === 'body') break;
    const raw = name === '!--' ? END_OF_COMMENT : RAW[name];
    if (raw) tags.lastIndex = behind(html, raw, tags.lastIndex);
    else if (name === 'title') {
      const { text, end } = textAt(html, tags.lastIndex);
      note('title', text);
      tags.lastIndex = end;
    } else if (name === 'meta') {
      const { attributes, end } = attributesAt(html, tags.lastIndex);
      note((attributes.get('property') ?? attributes.get('name') ?? '').toLowerCase(), attributes.get('content') ?? '');
      tags.lastIndex = end;
    }
  }
  const first = (names: readonly string[]): string | undefined => names.map((name) => said.get(name)).find((value) => value !== undefined);
  return {
    title: shown(first(TITLES), MAX_TITLE),
    description: shown(first(DESCRIPTIONS), MAX_DESCRIPTION),
    picture: decoded(first(PICTURES))?.trim() ?? null,
  };
}

function behind(html: string, mark: RegExp, from: number): number {
  const next = new RegExp(mark);
  next.lastIndex = from;
  return next.test(html) ? next.lastIndex : html.length;
}

function textAt(html: string, from: number): { readonly text: string; readonly end: number } {
  const start = html.indexOf('>', from) + 1;
  const end = start === 0 ? -1 : html.indexOf('</', start);
  return end === -1 ? { text: '', end: html.length } : { text: html.slice(start, end), end };
}

function attributesAt(html: string, from: number): { readonly attributes: ReadonlyMap<string, string>; readonly end: number } {
  const attributes = new Map<string, string>();
  const next = new RegExp(ATTRIBUTE);
  let end = from;
  for (let count = 0; count < MAX_ATTRIBUTES; count += 1) {
    next.lastIndex = end;
    const found = next.exec(html);
    if (!found) break;
    const [, name = '', double, single, bare] = found;
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), double ?? single ?? bare ?? '');
    end = next.lastIndex;
  }
  return { attributes, end };
}

const decoded = (text: string | undefined): string | null => (text === undefined ? null : decodeHTML(text.slice(0, 8_192)));

function shown(text: string | undefined, most: number): string | null {
  const plain = (decoded(text) ?? '')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...plain].slice(0, most).join('') || null;
}

const CHARSET = /charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const DECLARED_WITHIN = 1_024;

export function textOf(bytes: Buffer, contentType: string | null): string {
  const label = CHARSET.exec(contentType ?? '')?.[1] ?? CHARSET.exec(bytes.toString('latin1', 0, DECLARED_WITHIN))?.[1] ?? 'utf-8';
  return decoderFor(label).decode(bytes);
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
