import { SaxesParser } from 'saxes';
import { FILE_REASONS, Unreadable } from '../../archives/unreadable.ts';

/** Names are passed without their prefix. */
export interface XmlHandler {
  open?(name: string, attributes: ReadonlyMap<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
}

const PIECE = 65_536;

/** Does not expand entities that the file declares, or open external ones. Throws Unreadable. */
export function readXml(bytes: Buffer, handler: XmlHandler): void {
  const parser = new SaxesParser({ xmlns: false });
  const decoder = new TextDecoder();
  parser.on('opentag', ({ name, attributes }) => {
    handler.open?.(local(name), new Map(Object.entries(attributes).map(([key, value]) => [local(key), value])));
  });
  parser.on('closetag', ({ name }) => handler.close?.(local(name)));
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  parser.on('error', (cause) => {
    throw new Unreadable(FILE_REASONS.broken, cause);
  });
  for (let at = 0; at < bytes.length; at += PIECE) parser.write(decoder.decode(bytes.subarray(at, at + PIECE), { stream: true }));
  parser.write(decoder.decode()).close();
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);
