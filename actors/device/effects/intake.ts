import { codeOf } from '../../../runtime/errors.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { refusal } from '../../domain/refusals.ts';
import type { Download } from '../../services/media/incoming-file.ts';
import type { DeviceEffect } from '../protocol.ts';
import { type DeferredMediaDeps, DeferredMediaLoader } from './deferred-media.ts';
import { type InboundDeps, storeInbound } from './inbound-messages.ts';
import type { EffectContext } from './message-action-effects.ts';
import type { Unheard } from './unheard.ts';

type Fetching = Extract<DeviceEffect, { do: 'fetchFile' }>;
type Storing = Extract<DeviceEffect, { do: 'storeInbound' }>;

export interface InboundIntakeDeps extends Omit<InboundDeps, 'download' | 'stored' | 'timers'>, DeferredMediaDeps {}

export class InboundIntake {
  readonly #deps: InboundIntakeDeps;
  readonly #context: Omit<EffectContext, 'caughtUp' | 'write' | 'inOrder'>;
  readonly #deferredMedia: DeferredMediaLoader;
  readonly #storing = new Set<Promise<unknown>>();
  readonly #unheard: Unheard;

  constructor(deps: InboundIntakeDeps, context: Omit<EffectContext, 'caughtUp' | 'write' | 'inOrder'>, unheard: Unheard) {
    this.#deps = deps;
    this.#unheard = unheard;
    this.#context = context;
    this.#deferredMedia = new DeferredMediaLoader(deps, context.owner);
  }

  store({ connectionId, message, isOurs }: Storing): void {
    const { owner, receive, processOutbox, storeFailed, timers } = this.#context;
    const connection = this.#context.connection();
    const download: Download = () => connection?.download(message.file ?? {}) ?? Promise.reject(refusal('NOT_CONNECTED'));
    const deps = { ...this.#deps, timers, download, stored: (row: MessageRow) => this.#unheard.wrote(row) };
    const now = this.#deps.clock.now();
    // An HD copy must not be stored before its picture, so wait for the messages that came before.
    const earlier = message.renders === undefined ? null : this.caughtUp();
    const store = (): Promise<void> => storeInbound(deps, owner, { message, isOurs }, now);
    const stored = (earlier ? earlier.then(store) : store()).then(
      () => {
        receive({ type: 'kept', connectionId, token: message.token ?? message.netId });
        processOutbox();
      },
      // Ignore NOT_CONNECTED, because the network delivers the message again over the next connection.
      (cause) => codeOf(cause) === 'NOT_CONNECTED' || storeFailed(cause),
    );
    this.#storing.add(stored);
    void stored.finally(() => this.#storing.delete(stored));
  }

  caughtUp(): Promise<unknown> {
    return Promise.all(this.#storing);
  }

  fetch({ id, replyTo }: Fetching): void {
    const { receive } = this.#context;
    this.#deferredMedia.fetch(id, this.#context.connection()).then(
      (value) => receive({ type: 'answered', to: replyTo, value }),
      (error: Error) => receive({ type: 'refused', to: replyTo, error }),
    );
  }
}
