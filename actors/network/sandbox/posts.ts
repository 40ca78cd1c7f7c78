import { Refusal } from '../../../runtime/errors.ts';
import { type ChannelFact, type ChannelRecord, isChannel } from '../channels.ts';
import { STORIES, userJid } from '../jid.ts';
import { type Person, personAt } from '../person.ts';
import { lidOf } from './addresses.ts';
import type { ConnectionAction } from './device-actions.ts';
import type { Inboxes } from './inboxes.ts';
import type { Phone } from './phones.ts';
import type { DeviceAction, NetworkMessage } from './protocol.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

type WithoutBy<T> = T extends unknown ? Omit<T, 'by'> : never;

export class Posts {
  readonly #sandboxDeps: SandboxDeps;
  readonly #inboxes: Inboxes;

  constructor(sandboxDeps: SandboxDeps, inboxes: Inboxes) {
    this.#sandboxDeps = sandboxDeps;
    this.#inboxes = inboxes;
  }

  /** Stores a post or status. Returns false for a message to a person or a group. */
  published(message: NetworkMessage, readers: readonly string[]): boolean {
    if (isChannel(message.to)) this.#sandboxDeps.channels.post(message);
    else if (message.to === STORIES) this.#sandboxDeps.statuses.put(message, readers);
    else return false;
    return true;
  }

  /** Returns false for a reaction without the post's number in its channel, which the network refuses. */
  isNamed({ target, act }: ConnectionAction): boolean {
    if (!isChannel(target.chat) || act.kind !== 'reaction') return true;
    return target.serverId !== undefined && target.serverId === this.#sandboxDeps.channels.serverIdOf(target.chat, target.netId);
  }

  done(action: DeviceAction): boolean {
    const { to, target, act } = action;
    if (to === STORIES && act.kind === 'deleted') this.#sandboxDeps.statuses.remove(target);
    if (!isChannel(to)) return false;
    this.#sandboxDeps.channels.act(action);
    if (act.kind !== 'reaction') return false;
    this.#tellStats(to, target);
    return true;
  }

  view(phone: Phone, netId: string): void {
    const { channels, statuses } = this.#sandboxDeps;
    const to = this.#shownTo(phone, netId);
    const isNew = isChannel(to) ? channels.view(phone.digits, to, netId) : statuses.view(phone.digits, netId);
    if (!isNew) throw new Refusal('CONFLICT', { reason: 'this phone has already viewed it' });
    if (isChannel(to)) this.#tellStats(to, netId);
    else this.#tellView(phone, netId);
  }

  react(phone: Phone, netId: string, emoji: string): void {
    const { channels, statuses, names, clock } = this.#sandboxDeps;
    const to = this.#shownTo(phone, netId);
    const isNew = isChannel(to) ? channels.reactionOf(phone.digits, to, netId) !== emoji : statuses.react(phone.digits, netId, emoji);
    if (!isNew) throw new Refusal('CONFLICT', { reason: 'this reaction is already set' });
    const action = {
      netId: names.message(),
      from: phone.digits,
      to,
      target: netId,
      act: { kind: 'reaction', emoji },
      at: clock.now(),
    } as const;
    phone.mark(action);
    this.done(action);
  }

  tell(numbers: readonly string[], by: string | null, fact: WithoutBy<ChannelFact>): void {
    const { devices, clock, names } = this.#sandboxDeps;
    const facts = [{ ...fact, by: by === null ? null : this.person(by) }];
    for (const device of numbers.flatMap((digits) => devices.of(digits)))
      this.#inboxes.put(device, { type: 'facts', token: names.message(), at: clock.now(), facts });
  }

  joined(who: string, channel: ChannelRecord): void {
    this.tell([who], who, { fact: 'channel.joined', channel_id: channel.id, channel });
  }

  left(who: readonly string[], channel_id: string, by: string, reason: string | null): void {
    this.tell(who, by, { fact: 'channel.left', channel_id, reason });
  }

  person(digits: string): Person {
    return personAt(userJid(digits), lidOf(digits), this.#sandboxDeps.phones.named(digits).name);
  }

  #shownTo(phone: Phone, netId: string): string {
    const { channels, statuses, clock } = this.#sandboxDeps;
    const shown = phone.messages(SHOWN).find((message) => message.netId === netId);
    const follows = shown && channels.of(phone.digits).some(({ id }) => id === shown.to);
    const isStatus = shown?.to === STORIES && statuses.authorFor(phone.digits, netId, clock.now()) !== null;
    if (!shown || !(follows || isStatus)) throw new Refusal('NOT_FOUND', { field: 'message_id' });
    return shown.to;
  }

  #tellStats(channel: string, netId: string): void {
    const { channels, devices, clock, names } = this.#sandboxDeps;
    const stats = channels.stats(channel, netId);
    if (!stats) return;
    for (const device of devices.of(channels.owner(channel)))
      this.#inboxes.put(device, { type: 'postStats', token: names.message(), at: clock.now(), stats });
  }

  #tellView(phone: Phone, netId: string): void {
    const { statuses, devices, clock, names } = this.#sandboxDeps;
    const at = clock.now();
    const author = statuses.authorFor(phone.digits, netId, at);
    for (const device of author === null ? [] : devices.of(author))
      this.#inboxes.put(device, { type: 'statusViewed', token: names.message(), netIds: [netId], viewer: this.person(phone.digits), at });
  }
}

const SHOWN = 10_000;
