import type { Cancel } from '../../../runtime/clock.ts';
import type { Connection } from '../../network/port.ts';
import type { PresenceMode } from '../../network/presence.ts';
import type { PresenceWatch } from '../../services/live/presence-watch.ts';

export class OwnPresence {
  readonly #watch: PresenceWatch;
  readonly #tenantId: string;
  readonly #connection: () => Connection | null;
  readonly #unwatch: Cancel;
  #mode: PresenceMode = 'offline';
  #shown: boolean | null = null;

  constructor(watch: PresenceWatch, tenantId: string, connection: () => Connection | null) {
    this.#watch = watch;
    this.#tenantId = tenantId;
    this.#connection = connection;
    this.#unwatch = watch.onChange(tenantId, () => this.#show());
  }

  set(mode: PresenceMode): void {
    this.#mode = mode;
    this.#show();
  }

  opened(): void {
    this.#shown = false;
    this.#show();
  }

  end(): void {
    this.#unwatch();
  }

  #show(): void {
    const isAvailable = this.#mode === 'online' || (this.#mode === 'auto' && this.#watch.isWatched(this.#tenantId));
    if (this.#shown === null || this.#shown === isAvailable) return;
    this.#shown = isAvailable;
    // Ignore failures, because they usually mean that the connection is closing. A new one starts offline.
    this.#connection()
      ?.ask?.('presence.set', { isAvailable })
      .catch(() => undefined);
  }
}
