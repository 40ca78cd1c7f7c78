import { unreachable } from '../../runtime/behaviour.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { OwnAct, OwnActs } from '../../store/acts.ts';
import type { MessageRow, Owner } from '../../store/messages.ts';
import type { Line, OutgoingMessage, QuotedMessage } from '../network/port.ts';
import { contentOf, toOutgoing } from './content.ts';
import { entryOf, type KeepingPorts, keep } from './keeping.ts';
import type { ActEffect, DeviceEvent } from './protocol.ts';

export interface ActPorts extends KeepingPorts {
  readonly ownActs: OwnActs;
  readonly clock: Clock;
}

/** The hands of the device that these belong to. */
export interface Wrist {
  readonly owner: Owner;
  line(): Line | null;
  hear(event: DeviceEvent): void;
  /** In the order of all writes to message rows; a failure is the device's. */
  write<T>(work: () => Promise<T>, done: (result: T) => void): void;
  /** Resolves when no message that came in so far is still being stored. */
  caughtUp(): Promise<unknown>;
  /** What follows from changes that are stored. */
  settle(): void;
  storeFailed(cause: unknown): void;
}

/** Carries out what a device decides about messages that were sent before, by either side. */
export class ActHands {
  readonly #ports: ActPorts;
  readonly #wrist: Wrist;

  constructor(ports: ActPorts, wrist: Wrist) {
    this.#ports = ports;
    this.#wrist = wrist;
  }

  perform(effect: ActEffect): void {
    const { ownActs } = this.#ports;
    const { owner, write, hear } = this.#wrist;
    switch (effect.do) {
      case 'keep':
        return this.#keep(effect);
      case 'intend':
        return write(
          () => ownActs.intend(owner, effect.act),
          () => hear({ type: 'intended', dial: effect.dial, netId: effect.act.net_id }),
        );
      case 'transmitAct':
        return this.#transmit(effect.act);
      case 'applyAct':
        return this.#apply(effect);
      case 'dropAct':
        return write(
          () => ownActs.over(owner, effect.act._id),
          () => {},
        );
      case 'recoverActs':
        return write(
          () => ownActs.retake(owner, MOST_RECOVERED),
          (acts) => hear({ type: 'actsRecovered', dial: effect.dial, acts }),
        );
      case 'tellRead':
        return this.#wrist.line()?.markRead(effect.chat, effect.messages);
      case 'showPresence':
        return this.#wrist.line()?.presence(effect.chat, effect.state);
      default:
        return unreachable(effect);
    }
  }

  /** What was sent under this network id, for a network that asks for it again. */
  readonly recall = async (netId: string): Promise<OutgoingMessage | null> => {
    const row = await this.#ports.messages.known(this.#wrist.owner.sessionId, netId);
    return row?.direction === 'outbound' && row.message_type !== 'reaction' && row.status !== 'deleted' ? toOutgoing(row) : null;
  };

  /** What was written under this network id, for a message that quotes it. */
  readonly quoted = async (netId: string): Promise<QuotedMessage | null> => {
    const row = await this.#ports.messages.known(this.#wrist.owner.sessionId, netId);
    if (!row || row.message_type === 'reaction' || row.status === 'deleted') return null;
    return { from: row.sender, ...(row.sender_lid && { fromAlt: row.sender_lid }), content: contentOf(row) };
  };

  #keep({ dial, event, own }: Extract<ActEffect, { do: 'keep' }>): void {
    const { owner, hear, settle, storeFailed } = this.#wrist;
    const isReady = event.type === 'seen' ? this.#wrist.caughtUp() : Promise.resolve();
    isReady
      .then(() => keep(this.#ports, owner, event, own, this.#ports.clock.now()))
      .then(
        () => {
          hear({ type: 'kept', dial, token: event.token });
          settle();
        },
        (cause) => storeFailed(cause),
      );
  }

  #transmit({ kind, net_id: netId, chat_id: chat, target, from, value }: OwnAct): void {
    const line = this.#wrist.line();
    const order = { netId, target: { chat, netId: target, from } };
    switch (kind) {
      case 'react':
        return line?.react({ ...order, emoji: value });
      case 'edit':
        return line?.edit({ ...order, body: value });
      case 'erase':
        return line?.erase(order);
      default:
        return unreachable(kind);
    }
  }

  /** Its message first: should we die before the intent is gone, it is sent and applied again, and changes nothing. */
  #apply({ dial, act, at }: Extract<ActEffect, { do: 'applyAct' }>): void {
    const { owner, write, hear, settle } = this.#wrist;
    write(
      async () => {
        await this.#applied(act, at);
        await this.#ports.ownActs.over(owner, act._id);
      },
      () => {
        hear({ type: 'applied', dial, netId: act.net_id });
        settle();
      },
    );
  }

  async #applied(act: OwnAct, at: number): Promise<void> {
    const { acts, messages, clock } = this.#ports;
    const { owner } = this.#wrist;
    if (act.kind === 'react') return void (await messages.receive(reactionRow(owner, act, at, clock.now())));
    const kind = act.kind === 'edit' ? 'edited' : 'deleted';
    const { net_id, target, created_at } = act;
    const common = { _id: act._id, session_id: owner.sessionId, net_id, target, by: null, of_group: false, expires_at: at };
    await acts.apply(owner, { ...common, kind, body: kind === 'edited' ? act.value : null, at: created_at });
  }
}

function reactionRow(
  owner: Owner,
  { chat_id, value, target, message_id, net_id, created_at }: OwnAct,
  at: number,
  now: number,
): MessageRow {
  return {
    ...entryOf(owner, now),
    direction: 'outbound',
    chat_id,
    sender: null,
    sender_name: null,
    body: value,
    parts: { reaction: { target, message_id, at: created_at } },
    status: 'sent',
    net_id,
    attempts: 1,
    sent_at: at,
  };
}

/** More than a device can have under way; the bound is against a store gone wrong. */
const MOST_RECOVERED = 1_000;
