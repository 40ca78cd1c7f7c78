import { type Zippable, zipSync } from 'fflate';
import mammoth from 'mammoth';
import { SaxesParser } from 'saxes';
import { filesInZip, unpacked } from '../../archives/zip.ts';
import { contentsOfHtml } from './html.ts';
import { LeftOuts } from './left-out.ts';
import type { Contents } from './reading.ts';
import { isOn } from './workbook.ts';
import { readXml } from './xml.ts';

/**
 * Reads the headings, paragraphs and tables of a Word document. Hidden and struck-out text is
 * removed first, because `mammoth` does not recognize hidden text, or text that a style strikes
 * out.
 */

export async function contentsOfDocx(bytes: Buffer): Promise<Contents> {
  const leftOut = new LeftOuts();
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const buffer = shownParts(bytes, leftOut);
  const { value } = await mammoth.convertToHtml({ buffer }, { convertImage, externalFileAccess: false });
  const { blocks, leftOut: ofHtml } = contentsOfHtml(value, false);
  return { title: null, blocks, leftOut: [...leftOut.list, ...ofHtml] };
}

/** Text formatting. A missing member is inherited from the base style. */
interface Look {
  isHidden?: boolean;
  isStruck?: boolean;
}

interface Style extends Look {
  basedOn: string;
}

const TEXTS = /^word\/(document|footnotes|endnotes)\d*\.xml$/i;
const PICTURES = /^word\/(media|embeddings)\//i;

function shownParts(bytes: Buffer, leftOut: LeftOuts): Buffer {
  const files = filesInZip(bytes).filter(({ name }) => !PICTURES.test(name));
  const styleFile = files.find(({ name }) => name.toLowerCase() === 'word/styles.xml');
  const styles = styleFile ? stylesIn(unpacked(bytes, styleFile)) : new Map<string, Style>();
  const parts: Zippable = {};
  for (const file of files) {
    const contents = unpacked(bytes, file);
    parts[file.name] = [TEXTS.test(file.name) ? Buffer.from(shownText(contents.toString(), styles, leftOut)) : contents, { level: 0 }];
  }
  return Buffer.from(zipSync(parts));
}

function stylesIn(file: Buffer): ReadonlyMap<string, Style> {
  const styles = new Map<string, Style>();
  let style: Style = { basedOn: '' };
  readXml(file, {
    open(name, attributes) {
      if (name === 'style') {
        style = { basedOn: '' };
        styles.set(attributes.get('styleId') ?? '', style);
      } else if (name === 'basedOn') style.basedOn = attributes.get('val') ?? '';
      else look(style, name, attributes.get('val'));
    },
  });
  return styles;
}

function look(of: Look, name: string, value: string | undefined): void {
  if (name === 'vanish') of.isHidden = isOn(value);
  else if (name === 'strike' || name === 'dstrike') of.isStruck = isOn(value) || (of.isStruck ?? false);
}

const MAX_STYLES = 20;

function lookOf(styles: ReadonlyMap<string, Style>, name: string, key: keyof Look): boolean | undefined {
  let style = styles.get(name);
  for (let depth = 0; style && depth < MAX_STYLES; depth += 1) {
    if (style[key] !== undefined) return style[key];
    style = styles.get(style.basedOn);
  }
  return undefined;
}

interface Run extends Look {
  readonly start: number;
  readonly paragraphStyle: string;
  style: string;
  hasText: boolean;
}

function shownText(xml: string, styles: ReadonlyMap<string, Style>, leftOut: LeftOuts): string {
  const parser = new SaxesParser({ xmlns: false });
  const removed: (readonly [from: number, to: number])[] = [];
  const runs: Run[] = [];
  const paragraphs: string[] = [];
  const local = (name: string): string => name.slice(name.indexOf(':') + 1);
  parser.on('error', () => {});
  parser.on('opentag', (tag) => {
    const name = local(tag.name);
    const value = tag.attributes['w:val'];
    const run = runs.at(-1);
    if (name === 'p') paragraphs.push('');
    else if (name === 'pStyle' && paragraphs.length > 0) paragraphs[paragraphs.length - 1] = value ?? '';
    else if (name === 'r' && tag.name === 'w:r')
      runs.push({ start: xml.lastIndexOf('<', parser.position - 1), paragraphStyle: paragraphs.at(-1) ?? '', style: '', hasText: false });
    else if (run && name === 'rStyle') run.style = value ?? '';
    else if (run && name === 't') run.hasText = true;
    else if (run) look(run, name, value);
  });
  parser.on('closetag', (tag) => {
    const name = local(tag.name);
    if (name === 'p') paragraphs.pop();
    if (tag.name !== 'w:r') return;
    const run = runs.pop();
    if (!run) return;
    const is = (key: keyof Look): boolean => run[key] ?? lookOf(styles, run.style, key) ?? lookOf(styles, run.paragraphStyle, key) ?? false;
    const kind = is('isHidden') ? 'hiddenText' : is('isStruck') ? 'struck' : null;
    if (kind === null) return;
    removed.push([run.start, parser.position]);
    if (run.hasText) leftOut.add(kind);
  });
  parser.write(xml).close();
  let shown = '';
  let at = 0;
  for (const [from, to] of removed.toSorted(([one], [other]) => one - other)) {
    if (from < at) continue;
    shown += xml.slice(at, from);
    at = to;
  }
  return shown + xml.slice(at);
}
