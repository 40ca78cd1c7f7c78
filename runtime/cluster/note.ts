import type { Tagged } from '../actor-system/behaviour.ts';
import { isRecord } from '../shapes.ts';
import type { Member } from './port.ts';

export type Note =
  | { readonly do: 'ask' | 'tell'; readonly kind: string; readonly id: string; readonly command: Tagged; readonly timeoutMs: number }
  | { readonly do: 'take'; readonly kind: string; readonly id: string }
  | { readonly do: 'handOver'; readonly kind: string; readonly id: string; readonly to: string }
  | { readonly do: 'beState'; readonly state: Member['state'] };

type Fields = Readonly<Record<string, unknown>>;

const isNamed = ({ kind, id }: Fields): boolean => typeof kind === 'string' && typeof id === 'string';
const isCommand = (fields: Fields): boolean =>
  isNamed(fields) &&
  isRecord(fields['command']) &&
  typeof fields['command']['type'] === 'string' &&
  typeof fields['timeoutMs'] === 'number';

const SHAPES: Readonly<Record<Note['do'], (fields: Fields) => boolean>> = {
  ask: isCommand,
  tell: isCommand,
  take: isNamed,
  handOver: (fields) => isNamed(fields) && typeof fields['to'] === 'string',
  beState: ({ state }) => state === 'active' || state === 'draining',
};
const SHAPE_OF: ReadonlyMap<unknown, (fields: Fields) => boolean> = new Map(Object.entries(SHAPES));

export const isNote = (body: unknown): body is Note => isRecord(body) && SHAPE_OF.get(body['do'])?.(body) === true;
