import type { DeviceRow } from '../../store/devices/devices.ts';
import type { RowFacts } from './engine.ts';
import { type AnyRow, type Area, type Caller, type EventFacts, namesDevice, type OpenCall } from './row.ts';
import { withLimit } from './whole-lists.ts';

export interface AnyCall extends OpenCall<unknown, unknown, unknown> {
  readonly caller: Caller | undefined;
  readonly expectStepUp: () => void;
  readonly expectTimely: () => void;
  readonly operator: string | undefined;
  readonly device: DeviceRow | undefined;
}

export interface BoundRow {
  readonly facts: RowFacts;
  run(call: AnyCall): unknown;
}

export interface BoundArea {
  readonly name: string;
  readonly about: string;
  readonly events: readonly EventFacts[];
  readonly rows: readonly BoundRow[];
}

export function bind<Services>({ name, about, events = [], rows }: Area<Services>, services: Services): BoundArea {
  return { name, about, events, rows: rows.map((row) => withLimit({ facts: row, run: (call: AnyCall) => answerTo(row, services, call) })) };
}

function answerTo<Services>(row: AnyRow<Services>, services: Services, call: AnyCall): unknown {
  const { operator, device } = call;
  if (row.access === 'none') return row.run(services, call);
  if (row.access === 'operator') return operator === undefined ? unknownCaller(row.id) : row.run(services, { ...call, operator });
  if (row.tickets) return row.run(services, call);
  if (!hasCaller(call)) return unknownCaller(row.id);
  if (device === undefined && namesDevice(row)) throw new Error(`row ${row.id} was called without its device`);
  return row.run(services, call);
}

const hasCaller = (call: AnyCall): call is AnyCall & { readonly caller: Caller } => call.caller !== undefined;

function unknownCaller(id: string): never {
  throw new Error(`row ${id} was called by nobody`);
}
