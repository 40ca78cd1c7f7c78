import type { Logger } from 'pino';
import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { safeTexts } from '../../../runtime/safe-text.ts';
import type { MessageAction, MessageActions } from '../../../store/messaging/message-actions.ts';
import { SECRET_KEPT_MS } from '../../../store/messaging/message-secrets.ts';
import type { MessageRow, Owner } from '../../../store/messaging/messages.ts';
import type { KnownSecret } from '../../network/content.ts';
import type { Connection, OutgoingMessage, Presence, QuotedMessage, Whereabouts, WhyNot } from '../../network/port.ts';
import type { SealedMessageSecrets } from '../../services/credentials/message-secrets.ts';
import type { PresenceWatch } from '../../services/live/presence-watch.ts';
import { contentOf, toOutgoing } from '../behaviour/content.ts';
import type { DeviceEvent, MessageActionEffect, ReceivedAction } from '../protocol.ts';
import type { LearnsTimers } from './device-timers.ts';
import { type HoldBackDeps, holdBack } from './hold-back.ts';
import { chatsOf, type KeepingDeps, keep, newReaction } from './network-events.ts';
import { OwnPresence } from './own-presence.ts';

export interface MessageActionDeps extends Omit<KeepingDeps, 'timers'>, Omit<HoldBackDeps, 'messages'> {
  readonly messages: KeepingDeps['messages'] & HoldBackDeps['messages'];
  readonly messageActions: MessageActions;
  whyNot(row: MessageRow): Promise<string | null>;
  readonly secrets: SealedMessageSecrets;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug'>;
  mirrorChats(owner: Owner): Promise<void>;
  tellPresence(owner: Owner, said: Whereabouts & { readonly state: Presence }): Promise<void>;
  readonly presenceWatch: PresenceWatch;
}

export interface EffectContext {
  readonly owner: Owner;
  readonly timers: LearnsTimers;
  connection(): Connection | null;
  showsPresence(): boolean;
  receive(event: DeviceEvent): void;
  write<T>(work: () => Promise<T>, done: (result: T) => void): void;
  inOrder<T>(work: () => Promise<T>): Promise<T>;
  caughtUp(): Promise<unknown>;
  processOutbox(): void;
  storeFailed(cause: unknown): void;
}

export class MessageActionEffects {
  readonly #deps: MessageActionDeps;
  readonly #context: EffectContext;
  readonly presence: OwnPresence;

  constructor(deps: MessageActionDeps, context: EffectContext) {
    this.#deps = deps;
    this.#context = context;
    this.presence = new OwnPresence(deps.presenceWatch, context.owner.tenantId, () => context.connection());
  }

  perform(effect: MessageActionEffect): void {
    const { messageActions } = this.#deps;
    const { owner, write, receive } = this.#context;
    switch (effect.do) {
      case 'keep':
        return this.#keep(effect);
      case 'intend':
        return write(
          () => messageActions.intend(owner, effect.action),
          () => receive({ type: 'intended', connectionId: effect.connectionId, netId: effect.action.net_id }),
        );
      case 'holdBack':
        return write(
          () => holdBack(this.#deps, owner, effect),
          (until) => receive({ type: 'heldBack', until }),
        );
      case 'transmitAction':
        return this.#transmit(effect.action);
      case 'applyAction':
        return this.#apply(effect);
      case 'dropAction':
        return write(
          () => messageActions.over(owner, effect.action._id),
          () => {},
        );
      case 'recoverActions':
        return write(
          () => messageActions.retake(owner, MAX_RECOVERED),
          (actions) => receive({ type: 'actionsRecovered', connectionId: effect.connectionId, actions }),
        );
      case 'mirrorChats':
        return void this.#deps.mirrorChats(owner).catch((cause) => this.#context.storeFailed(cause));
      case 'tellPresence':
        return void this.#deps
          .tellPresence(owner, effect.said)
          .catch((cause) => this.#deps.log.debug({ err: cause }, 'the presence could not be sent'));
      case 'readHooks':
        return this.#context.connection()?.hooksArrived?.();
      case 'sendReadReceipts':
        return this.#context.connection()?.markRead(effect.chat, effect.messages);
      case 'showPresence':
        return this.#context.showsPresence() ? this.#context.connection()?.presence(effect.chat, effect.state) : undefined;
      default:
        return unreachable(effect);
    }
  }

  readonly #findSent = async (netId: string): Promise<OutgoingMessage | null> => {
    const row = await this.#deps.messages.ours(this.#context.owner.sessionId, netId);
    return row && row.message_type !== 'reaction' && row.status !== 'deleted' ? toOutgoing(row) : null;
  };

  readonly #secretsOf = async (netId: string, where: Whereabouts): Promise<readonly KnownSecret[]> => {
    const { owner, caughtUp } = this.#context;
    const { messages, clock, secrets, people } = this.#deps;
    await caughtUp();
    const chats = chatsOf(where, await people.place(owner.tenantId, where));
    const rows = await messages.namesakes(owner.sessionId, { netId, chats });
    const since = clock.now() - SECRET_KEPT_MS;
    return rows.flatMap((row) => {
      const secret = !row.secret || row.status === 'deleted' || row.created_at < since ? null : secrets.open(row);
      const authors = row.sender === null ? [] : [row.sender, ...(row.sender_lid ? [row.sender_lid] : [])];
      return secret === null ? [] : [{ secret, authors }];
    });
  };

  readonly #quoted = async (netId: string, chat: string, by: string): Promise<QuotedMessage | null> => {
    const { messages } = this.#deps;
    const { tenantId, sessionId } = this.#context.owner;
    const id = (await messages.ours(sessionId, by))?.parts.reply_to;
    const row = id ? await messages.find(tenantId, sessionId, id) : await messages.known(sessionId, { netId, chats: [chat] });
    if (!row || row.message_type === 'reaction' || row.status === 'deleted') return null;
    return { from: row.sender, ...(row.sender_lid && { fromAlt: row.sender_lid }), content: contentOf(row) };
  };

  /** Checks consent again if the network reports new facts about the recipient during the send. */
  readonly #whyNot: WhyNot = async (netId, facts) => {
    const { people, messages, whyNot } = this.#deps;
    const { tenantId, sessionId } = this.#context.owner;
    for (const fact of facts) await people.learn(tenantId, safeTexts(fact));
    const row = await messages.ours(sessionId, netId);
    return row && row.message_type !== 'reaction' ? whyNot(row) : null;
  };

  readonly answers = { findSent: this.#findSent, quoted: this.#quoted, secretsOf: this.#secretsOf, whyNot: this.#whyNot };

  #keep({ connectionId, event, own }: Extract<MessageActionEffect, { do: 'keep' }>): void {
    const { owner, receive, processOutbox, storeFailed, write, timers } = this.#context;
    // The post's ack must be stored first, because it contains the post's server id.
    if (event.type === 'postStats')
      return write(
        () => keep({ ...this.#deps, timers }, owner, event, own, this.#deps.clock.now()),
        () => receive({ type: 'kept', connectionId, token: event.token }),
      );
    const kept = (): Promise<void> => keep({ ...this.#deps, timers }, owner, event, own, this.#deps.clock.now());
    this.#inTurn(event, kept).then(
      () => {
        receive({ type: 'kept', connectionId, token: event.token });
        processOutbox();
      },
      (cause) => storeFailed(cause),
    );
  }

  #inTurn(event: ReceivedAction, kept: () => Promise<void>): Promise<void> {
    if (event.type === 'facts') return this.#context.inOrder(kept);
    return event.type === 'seen' ? this.#context.caughtUp().then(kept) : kept();
  }

  #transmit(action: MessageAction): void {
    const { kind, net_id: netId, chat_id: chat, target, from, value, created_at: at, server_id: serverId, audience } = action;
    const connection = this.#context.connection();
    const order = { netId, target: { chat, netId: target, from, ...(serverId !== undefined && { serverId }) } };
    switch (kind) {
      case 'react':
        return connection?.react({ ...order, emoji: value, at });
      case 'edit':
        return connection?.edit({ ...order, body: value, at });
      case 'erase':
        return connection?.erase({ ...order, ...(audience && { audience }) });
      default:
        return unreachable(kind);
    }
  }

  /** Changes the message before removing the intent, so that a crash in between only repeats the change. */
  #apply({ connectionId, action, superseded, at }: Extract<MessageActionEffect, { do: 'applyAction' }>): void {
    const { owner, write, receive, processOutbox } = this.#context;
    write(
      async () => {
        await this.#applied(action, at);
        for (const { _id } of [...superseded, action]) await this.#deps.messageActions.over(owner, _id);
      },
      () => {
        receive({ type: 'applied', connectionId, netIds: [action, ...superseded].map(({ net_id }) => net_id) });
        processOutbox();
      },
    );
  }

  async #applied(action: MessageAction, at: number): Promise<void> {
    const { receivedActions, messages, clock } = this.#deps;
    const { owner } = this.#context;
    if (action.kind === 'react') return void (await messages.receive(reactionRow(owner, action, at, clock.now())));
    const kind = action.kind === 'edit' ? 'edited' : 'deleted';
    const { net_id, target, created_at } = action;
    const common = { _id: action._id, session_id: owner.sessionId, net_id, target, by: null, expires_at: at };
    await receivedActions.apply(owner, { ...common, kind, body: kind === 'edited' ? action.value : null, at: created_at });
  }
}

function reactionRow(
  owner: Owner,
  { chat_id, value, target, message_id, net_id, created_at }: MessageAction,
  at: number,
  now: number,
): MessageRow {
  return newReaction(owner, now, {
    direction: 'outbound',
    chat_id,
    body: value,
    parts: { reaction: { target, message_id, at: created_at } },
    status: 'sent',
    net_id,
    attempts: 1,
    sent_at: at,
  });
}

const MAX_RECOVERED = 1_000;
