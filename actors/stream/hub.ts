import type { Cancel, Clock } from '../../runtime/clock.ts';
import { refusal } from '../refusals.ts';
import type { Line } from './line.ts';
import { type AssigneeOf, isOfItsDevices, mayAgentSee, type Viewer } from './sight.ts';

/** Where a stream's bytes go; a socket is one. */
export interface Outlet {
  readonly writable: boolean;
  /** Bytes that were written and are not with the operating system yet. */
  readonly writableLength: number;
  write(bytes: Uint8Array): unknown;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', heard: () => void): unknown;
}

export interface HubOptions {
  readonly clock: Clock;
  readonly assigneeOf: AssigneeOf;
  /** Streams of one tenant on this node, and of all. */
  readonly mostPerTenant: number;
  readonly most: number;
}

interface Reader {
  readonly viewer: Viewer;
  readonly outlet: Outlet;
}

/** What agents may see has to be looked up, in order: lines that wait for it. */
interface Asking {
  waiting: number;
  tail: Promise<void>;
}

const HEARTBEAT_MS = 15_000;
/** A reader that has more than this unsent when more is to be sent is closed. */
const MOST_UNSENT_BYTES = 256 * 1024;
const MOST_WAITING_LINES = 1_000;
const GREETING = Buffer.from(': open\n\n');
const HEARTBEAT = Buffer.from(': hb\n\n');

/** The open streams of one node. What comes within one turn goes out in one write a reader. */
export class Hub {
  readonly #options: HubOptions;
  readonly #tenants = new Map<string, Set<Reader>>();
  readonly #asking = new Map<string, Asking>();
  #lines = new Map<string, Line[]>();
  #count = 0;
  #cancelBeat: Cancel = () => {};
  #isClosed = false;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#beatLater();
  }

  get size(): number {
    return this.#count;
  }

  has(tenantId: string): boolean {
    return this.#tenants.has(tenantId);
  }

  *viewers(tenantId?: string): Iterable<Viewer> {
    for (const [id, readers] of this.#tenants)
      if (tenantId === undefined || id === tenantId) for (const { viewer } of readers) yield viewer;
  }

  /** Throws Refusal RATE_LIMITED when no more streams are taken, UNAVAILABLE once closed. */
  expectRoom(tenantId: string): void {
    if (this.#isClosed) throw refusal('UNAVAILABLE');
    if (this.#isFull(tenantId)) throw refusal('RATE_LIMITED', { retryAfterMs: HEARTBEAT_MS });
  }

  /** The reader hears everything from now on. One that finds no room after all is closed at once. */
  open(viewer: Viewer, outlet: Outlet): void {
    if (this.#isClosed || this.#isFull(viewer.tenantId)) return void outlet.destroy();
    const reader = { viewer, outlet };
    const readers = this.#tenants.get(viewer.tenantId) ?? new Set();
    this.#tenants.set(viewer.tenantId, readers.add(reader));
    this.#count += 1;
    outlet.once('close', () => this.#forget(reader));
    outlet.write(GREETING);
  }

  add(lines: readonly Line[]): void {
    for (const line of lines) {
      if (!this.#tenants.has(line.tenant)) continue;
      if (this.#lines.size === 0) setImmediate(() => this.#flush());
      const own = this.#lines.get(line.tenant);
      if (own) own.push(line);
      else this.#lines.set(line.tenant, [line]);
    }
  }

  /** Ends the streams of these viewers; what they have not read yet they do not get. */
  drop(isOver: (viewer: Viewer) => boolean): void {
    for (const readers of this.#tenants.values()) for (const reader of readers) if (isOver(reader.viewer)) this.#cut(reader);
  }

  /** Ends all streams; readers get what was sent before. */
  close(): void {
    this.#isClosed = true;
    this.#cancelBeat();
    for (const readers of this.#tenants.values()) for (const { outlet } of readers) outlet.end();
  }

  #isFull(tenantId: string): boolean {
    const own = this.#tenants.get(tenantId)?.size ?? 0;
    return this.#count >= this.#options.most || own >= this.#options.mostPerTenant;
  }

  #forget(reader: Reader): void {
    const { tenantId } = reader.viewer;
    const readers = this.#tenants.get(tenantId);
    if (!readers?.delete(reader)) return;
    this.#count -= 1;
    if (readers.size === 0) this.#tenants.delete(tenantId);
  }

  #cut(reader: Reader): void {
    this.#forget(reader);
    reader.outlet.destroy();
  }

  #beatLater(): void {
    this.#cancelBeat = this.#options.clock.after(HEARTBEAT_MS, () => {
      for (const readers of this.#tenants.values()) for (const reader of readers) this.#write(reader, HEARTBEAT);
      this.#beatLater();
    });
  }

  #flush(): void {
    const turn = this.#lines;
    this.#lines = new Map();
    for (const [tenantId, lines] of turn) this.#deliver(tenantId, lines);
  }

  #deliver(tenantId: string, lines: readonly Line[]): void {
    const written = new Map<string, Buffer>();
    for (const reader of this.#tenants.get(tenantId) ?? []) {
      if (reader.viewer.role === 'agent') continue;
      const restriction = reader.viewer.sessionIds?.join() ?? 'none';
      const bytes = written.get(restriction) ?? framed(lines.filter((line) => isOfItsDevices(reader.viewer, line)));
      written.set(restriction, bytes);
      this.#write(reader, bytes);
    }
    if (this.#agents(tenantId).length > 0) this.#deliverToAgents(tenantId, lines);
  }

  #agents(tenantId: string): readonly Reader[] {
    return [...(this.#tenants.get(tenantId) ?? [])].filter(({ viewer }) => viewer.role === 'agent');
  }

  #deliverToAgents(tenantId: string, lines: readonly Line[]): void {
    const asking = this.#asking.get(tenantId) ?? { waiting: 0, tail: Promise.resolve() };
    this.#asking.set(tenantId, asking);
    asking.waiting += lines.length;
    if (asking.waiting > MOST_WAITING_LINES) this.#cutAgents(tenantId);
    asking.tail = asking.tail
      .then(() => this.#askAndWrite(tenantId, lines))
      // Who may see it is not known: nobody does.
      .catch(() => this.#cutAgents(tenantId))
      .then(() => {
        asking.waiting -= lines.length;
        if (asking.waiting === 0) this.#asking.delete(tenantId);
      });
  }

  async #askAndWrite(tenantId: string, lines: readonly Line[]): Promise<void> {
    if (this.#agents(tenantId).length === 0) return;
    const { assigneeOf } = this.#options;
    const assignees = await Promise.all(lines.map(({ session, chat }) => (chat === null ? null : assigneeOf(tenantId, session, chat))));
    for (const reader of this.#agents(tenantId))
      this.#write(reader, framed(lines.filter((line, i) => mayAgentSee(reader.viewer, line, assignees[i]!))));
  }

  #cutAgents(tenantId: string): void {
    for (const reader of this.#agents(tenantId)) this.#cut(reader);
  }

  /** The bytes are the same object for all who get them, so many slow readers cost little more than one. */
  #write(reader: Reader, bytes: Buffer): void {
    const { outlet } = reader;
    if (bytes.length === 0 || !outlet.writable) return;
    if (outlet.writableLength > MOST_UNSENT_BYTES) return this.#cut(reader);
    outlet.write(bytes);
  }
}

const framed = (lines: readonly Line[]): Buffer => Buffer.from(lines.map(({ frame }) => frame).join(''));
