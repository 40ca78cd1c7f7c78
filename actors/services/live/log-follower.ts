import { fairSlices } from '../../../runtime/fair-slices.ts';
import type { EventOrder, Position } from '../../../store/events/event-order.ts';
import { bodyOf } from '../events/types.ts';
import type { Follower, StreamSink } from './hub.ts';
import { frameOf } from './stream-event.ts';
import { type AssigneesOf, carries, shownTo, type Viewer } from './visibility.ts';

export interface FollowerDeps {
  readonly eventOrder: Pick<EventOrder, 'read'>;
  readonly assigneesOf: AssigneesOf;
  now(): number;
  failed(cause: unknown): void;
}

const PAGE = 50;

/** Sends each event once, in the order of the pull log. Slow clients delay the next page. */
export class LogFollower implements Follower {
  readonly #deps: FollowerDeps;
  readonly #viewer: Viewer;
  readonly #sink: StreamSink;
  #place: Position | null;
  #isAwake = false;
  #isReading = false;
  #goOn: (() => void) | null = null;
  #stalled: (() => void) | null = null;

  constructor(deps: FollowerDeps, viewer: Viewer, sink: StreamSink, from: Position | null) {
    this.#deps = deps;
    this.#viewer = viewer;
    this.#sink = sink;
    this.#place = from;
    sink.once('close', () => this.#goOn?.());
  }

  wake(): void {
    this.#isAwake = true;
    if (!this.#isReading) void this.#readOn();
  }

  isStuck(): boolean {
    const isSame = this.#goOn !== null && this.#goOn === this.#stalled;
    this.#stalled = this.#goOn;
    return isSame;
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isAwake && this.#sink.writable) {
        this.#isAwake = false;
        while (this.#sink.writable && (await this.#readPage()));
      }
    } catch (cause) {
      this.#deps.failed(cause);
    } finally {
      this.#isReading = false;
    }
  }

  async #readPage(): Promise<boolean> {
    const { eventOrder, assigneesOf, now } = this.#deps;
    const viewer = this.#viewer;
    const { tenantId, sessionIds } = viewer;
    const { place, isMore, shown } = await fairSlices.run(tenantId, async () => {
      const page = await eventOrder.read(tenantId, { after: this.#place, sessionIds, limit: PAGE, now: now() });
      return { ...page, shown: await shownTo(assigneesOf, viewer, page.rows) };
    });
    for (const row of shown) if (carries(viewer, row.type) && !(await this.#write(frameOf(bodyOf(row))))) return false;
    this.#place = place;
    return isMore;
  }

  async #write(frame: string): Promise<boolean> {
    const sink = this.#sink;
    if (!sink.writable) return false;
    if (sink.write(Buffer.from(frame)) === false) {
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
        sink.once('drain', resolve);
      });
      this.#goOn = null;
    }
    return sink.writable;
  }
}
