import type { DeviceRow } from '../../store/devices/devices.ts';
import type { RowFacts } from './engine.ts';
import type { AnyRow, Area, Call, Caller, EventFacts, OpenCall } from './row.ts';

/** A call as the server makes it for any row: `caller`, `operator` and `device` are absent where the row has none. */
export interface AnyCall extends OpenCall<unknown, unknown, unknown> {
  readonly caller: Caller | undefined;
  readonly operator: string | undefined;
  readonly device: DeviceRow | undefined;
}

/** A row with its world already inside. */
export interface BoundRow {
  readonly facts: RowFacts;
  run(call: AnyCall): unknown;
}

/** An area that no longer shows which world it needs, so that areas of different worlds fit one table. */
export interface BoundArea {
  readonly name: string;
  readonly about: string;
  readonly events: readonly EventFacts[];
  readonly rows: readonly BoundRow[];
}

/** Gives an area the part of the world that its rows work on. */
export function bind<Services>({ name, about, events = [], rows }: Area<Services>, services: Services): BoundArea {
  return { name, about, events, rows: rows.map((row) => ({ facts: row, run: (call: AnyCall) => answerTo(row, services, call) })) };
}

/** A row never runs without the caller or operator that its access promises. */
function answerTo<Services>(row: AnyRow<Services>, services: Services, call: AnyCall): unknown {
  const { caller, operator } = call;
  if (row.access === 'none') return row.run(services, call);
  if (row.access === 'operator') return operator === undefined ? unknownCaller(row.id) : row.run(services, { ...call, operator });
  // A row has the device that its path names; the type of its call has it on all rows of tenants.
  // Nor has a call with a ticket a caller.
  return caller === undefined && !row.tickets
    ? unknownCaller(row.id)
    : row.run(services, { ...call, caller } as Call<unknown, unknown, unknown>);
}

function unknownCaller(id: string): never {
  throw new Error(`row ${id} was called by nobody`);
}
