import { type Clock, forAtMost } from '../../../runtime/clock.ts';
import { safeTexts } from '../../../runtime/safe-text.ts';
import type { Habit } from '../../../store/devices/network-habits.ts';
import type { LinkPreview } from '../../../store/messaging/message-row.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import { inviteIn } from '../../domain/link-preview.ts';
import type { Connection, Network, OutgoingMessage } from '../../network/port.ts';
import { type FoundPreview, type LinkPreviews, WITHIN_MS } from '../../services/media/previews/link-previews.ts';

export interface PreviewedSendsDeps {
  readonly network: Pick<Network, 'name'>;
  readonly messages: Pick<Messages, 'notePreview'>;
  readonly linkPreviews: Pick<LinkPreviews, 'find'>;
  readonly clock: Clock;
}

/** Stores a link preview or its failure before the send, so that a resend shows the same preview. */
export class PreviewedSends {
  readonly #deps: PreviewedSendsDeps;
  readonly #owner: Owner;
  readonly #isHabit: (habit: Habit) => boolean;
  readonly #connection: () => Pick<Connection, 'ask'> | null;
  readonly #tails = new Map<string, Promise<void>>();

  constructor(
    deps: PreviewedSendsDeps,
    owner: Owner,
    isHabit: (habit: Habit) => boolean,
    connection: () => Pick<Connection, 'ask'> | null,
  ) {
    this.#connection = connection;
    this.#deps = deps;
    this.#owner = owner;
    this.#isHabit = isHabit;
  }

  send(message: OutgoingMessage, send: (message: OutgoingMessage) => void): void {
    const { to } = message;
    const wanted = this.#wanted(message);
    const before = this.#tails.get(to);
    const finding = wanted && this.#isOpen(wanted) ? this.#found(message, wanted) : null;
    if (!before && !finding) return send(withPreview(message, wanted));
    const tail: Promise<void> = Promise.all([finding ?? withPreview(message, wanted), before]).then(([ready]) => {
      if (this.#tails.get(to) === tail) this.#tails.delete(to);
      send(ready);
    });
    this.#tails.set(to, tail);
  }

  #wanted({ preview }: OutgoingMessage): LinkPreview | null {
    if (!preview || (preview.by_default && this.#deps.network.name === 'sandbox')) return null;
    return (preview.by_default || preview.title !== undefined) && !this.#isHabit('previews') ? null : preview;
  }

  readonly #isOpen = ({ title, failed }: LinkPreview): boolean => title === undefined && !failed;

  async #found(message: OutgoingMessage, { url, by_default }: LinkPreview): Promise<OutgoingMessage> {
    const { linkPreviews, messages } = this.#deps;
    const find = () => linkPreviews.find(this.#owner.tenantId, url, () => this.#invitedTo(url));
    const found = this.#isHabit('previews') ? await find() : null;
    const preview: LinkPreview = { url, ...(by_default && { by_default }), ...(found ?? { failed: true }) };
    await messages.notePreview(this.#owner, message.netId, preview).catch(() => {});
    return withPreview(message, preview);
  }

  async #invitedTo(url: string): Promise<FoundPreview | null> {
    const connection = this.#connection();
    const invite = inviteIn(url);
    if (!connection?.ask || !invite) return null;
    const { to, code } = invite;
    let found: FoundPreview | null = null;
    const asked =
      to === 'group'
        ? connection.ask('groups.preview', { code }).then(({ subject: title }) => ({ title }))
        : connection
            .ask('channels.byCode', { code })
            .then(({ name: title, description }) => ({ title, ...(description && { description }) }));
    const done = asked.then(
      (preview) => {
        found = safeTexts(preview);
      },
      () => {},
    );
    await forAtMost(this.#deps.clock, WITHIN_MS, done);
    return found;
  }
}

function withPreview({ preview: _, ...message }: OutgoingMessage, preview: LinkPreview | null): OutgoingMessage {
  return preview?.title === undefined ? message : { ...message, preview };
}
