import { posix } from 'node:path';
import { FILE_REASONS, Unreadable } from '../../archives/unreadable.ts';
import { filesInZip, unpacked } from '../../archives/zip.ts';
import type { LeftOuts } from './left-out.ts';
import { BUILT_IN } from './number-formats.ts';
import { readXml } from './xml.ts';

export interface Workbook {
  readonly sheets: readonly { readonly name: string; readonly file: Buffer }[];
  readonly texts: readonly SharedText[];
  readonly formats: readonly CellFormat[];
  readonly is1904: boolean;
}

export interface SharedText {
  readonly text: string;
  readonly isStruck: boolean;
  /** Whether parts of the text have their own formats. These override the cell's format. */
  readonly hasLook?: boolean;
}

export interface CellFormat {
  readonly code: string;
  readonly isStruck: boolean;
}

export function openWorkbook(bytes: Buffer, leftOut: LeftOuts): Workbook {
  const files = new Map(filesInZip(bytes).map((file) => [file.name.toLowerCase(), file]));
  const part = (name: string): Buffer | null => {
    const file = files.get(name.toLowerCase());
    return file ? unpacked(bytes, file) : null;
  };
  const book = part('xl/workbook.xml');
  if (!book) throw new Unreadable(FILE_REASONS.broken);
  const relations = relationsIn(part('xl/_rels/workbook.xml.rels'));
  const ofKind = (kind: string): Buffer | null => {
    const relation = [...relations.values()].find(({ type }) => type.endsWith(`/${kind}`));
    return relation ? part(relation.target) : null;
  };
  const { named, is1904 } = namesIn(book);
  const sheets = named.flatMap(({ name, id, state }) => {
    const relation = relations.get(id);
    if (!relation) return [];
    if (state !== 'visible') leftOut.add('hiddenSheets', name);
    else if (relation.type.endsWith('/chartsheet')) leftOut.add('charts', name);
    else if (relation.type.endsWith('/worksheet')) {
      const file = part(relation.target);
      return file ? [{ name, file }] : [];
    }
    return [];
  });
  return { sheets, texts: textsIn(ofKind('sharedStrings')), formats: formatsIn(ofKind('styles')), is1904 };
}

interface Relation {
  readonly type: string;
  readonly target: string;
}

function relationsIn(file: Buffer | null): ReadonlyMap<string, Relation> {
  const relations = new Map<string, Relation>();
  if (file)
    readXml(file, {
      open(name, attributes) {
        if (name !== 'Relationship') return;
        const target = attributes.get('Target') ?? '';
        const path = target.startsWith('/') ? target.slice(1) : posix.join('xl', target);
        relations.set(attributes.get('Id') ?? '', { type: attributes.get('Type') ?? '', target: path });
      },
    });
  return relations;
}

function namesIn(file: Buffer) {
  const named: { readonly name: string; readonly id: string; readonly state: string }[] = [];
  let is1904 = false;
  readXml(file, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = isOn(attributes.get('date1904') ?? '0');
      if (name === 'sheet')
        named.push({ name: attributes.get('name') ?? '', id: attributes.get('id') ?? '', state: attributes.get('state') ?? 'visible' });
    },
  });
  return { named, is1904 };
}

/** `<strike/>` and attributes are on unless their value says otherwise. */
export const isOn = (value: string | undefined): boolean => !/^(0|false|off)$/i.test(value ?? '1');

function textsIn(file: Buffer | null): readonly SharedText[] {
  const texts: SharedText[] = [];
  if (!file) return texts;
  const reader = richText();
  readXml(file, {
    open(name, attributes) {
      if (name === 'si') reader.start();
      else reader.open(name, attributes);
    },
    text: reader.text,
    close(name) {
      if (name === 'si') texts.push(reader.end());
      else reader.close(name);
    },
  });
  return texts;
}

/** Reads formatted text without its phonetic readings (`rPh`). */
export function richText() {
  let text = '';
  let [isText, isPhonetic, isRunStruck, isStruck, hasLook] = [false, false, false, false, false];
  return {
    start(): void {
      text = '';
      [isText, isPhonetic, isRunStruck, isStruck, hasLook] = [false, false, false, false, false];
    },
    open(name: string, attributes: ReadonlyMap<string, string>): void {
      if (name === 'r') isRunStruck = false;
      else if (name === 'rPr') hasLook = true;
      else if (name === 'strike') isRunStruck = isOn(attributes.get('val'));
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isText = !isPhonetic;
    },
    text(piece: string): void {
      if (!isText) return;
      if (isRunStruck) isStruck ||= piece.trim() !== '';
      else text += piece;
    },
    close(name: string): void {
      if (name === 't') isText = false;
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 'r') isRunStruck = false;
    },
    end: (): SharedText => ({ text, isStruck, hasLook }),
  };
}

function formatsIn(file: Buffer | null): readonly CellFormat[] {
  const formats: CellFormat[] = [];
  if (!file) return formats;
  const codes = new Map(BUILT_IN);
  const struckFonts: boolean[] = [];
  let within = '';
  readXml(file, {
    open(name, attributes) {
      if (name === 'numFmt' && within === '') codes.set(Number(attributes.get('numFmtId')), attributes.get('formatCode') ?? '');
      else if (LISTS.has(name)) within = name;
      else if (within === 'fonts' && name === 'font') struckFonts.push(false);
      else if (within === 'fonts' && name === 'strike') struckFonts[struckFonts.length - 1] = isOn(attributes.get('val'));
      else if (within === 'cellXfs' && name === 'xf')
        formats.push({
          code: codes.get(Number(attributes.get('numFmtId'))) ?? '',
          isStruck: struckFonts[Number(attributes.get('fontId') ?? 0)] ?? false,
        });
    },
    close(name) {
      if (name === within) within = '';
    },
  });
  return formats;
}

const LISTS: ReadonlySet<string> = new Set(['fonts', 'cellXfs', 'dxfs', 'cellStyleXfs']);
