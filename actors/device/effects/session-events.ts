import type { Devices, SessionEvent } from '../../../store/devices/devices.ts';
import type { Owner } from '../../../store/messaging/messages.ts';

export interface SessionEventDeps {
  readonly devices: Pick<Devices, 'unpublished' | 'published'>;
  /** Records what happened to a device, again after a crash. */
  tell(owner: Owner, session_events: readonly SessionEvent[]): Promise<void>;
}

/** Session events of one device: recorded in the same write as the change, then published, and retried after a crash. */
export class SessionEventWriter {
  readonly #deps: SessionEventDeps;
  readonly #owner: Owner;
  /** Emitted, but in the store not for certain. */
  #unsaved: readonly SessionEvent[] = [];
  /** Stored, and perhaps not published. */
  #unpublished: boolean;

  constructor(deps: SessionEventDeps, owner: Owner, { unpublished }: { readonly unpublished: boolean }) {
    this.#deps = deps;
    this.#owner = owner;
    this.#unpublished = unpublished;
  }

  /** Its patch is being written: gives what has to go into the same write. */
  add(sessionEvent: SessionEvent | undefined): readonly SessionEvent[] {
    if (sessionEvent) this.#unsaved = [...this.#unsaved, sessionEvent];
    return this.#unsaved;
  }

  /** These are in the store now. */
  saved(session_events: readonly SessionEvent[]): void {
    this.#unpublished ||= session_events.length > 0;
    this.#unsaved = this.#unsaved.slice(session_events.length);
  }

  /** Publishes stored, unpublished events. No save may run meanwhile. */
  async processOutbox(): Promise<void> {
    if (!this.#unpublished) return;
    const { devices, tell } = this.#deps;
    const { tenantId, sessionId, epoch } = this.#owner;
    await tell(this.#owner, await devices.unpublished(tenantId, sessionId));
    await devices.published(tenantId, sessionId, epoch);
    this.#unpublished = false;
  }
}
