import { createHash } from 'node:crypto';
import { at, present } from '../../runtime/invariant.ts';

export interface Page {
  readonly html: string;
  readonly policy: string;
}

export interface Markup {
  readonly safe: string;
}

type Piece = Markup | string | number | readonly Piece[];

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  const [start = '', ...rest] = strings;
  return { safe: start + pieces.map((piece, nth) => written(piece) + at(rest, nth)).join('') };
}

export const raw = (safe: string): Markup => ({ safe });

export const render = ({ safe }: Markup): string => safe;

function written(piece: Piece): string {
  if (typeof piece === 'string' || typeof piece === 'number') return escaped(String(piece));
  return 'safe' in piece ? piece.safe : piece.map(written).join('');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => present(ENTITIES[sign], sign));

export const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
