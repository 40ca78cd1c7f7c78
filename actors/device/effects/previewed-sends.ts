import type { Habit } from '../../../store/devices/network-habits.ts';
import type { LinkPreview } from '../../../store/messaging/message-row.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import type { Network, OutgoingMessage } from '../../network/port.ts';
import type { LinkPreviews } from '../../services/media/previews/link-previews.ts';

export interface PreviewedSendsDeps {
  readonly network: Pick<Network, 'name'>;
  readonly messages: Pick<Messages, 'notePreview'>;
  readonly linkPreviews: Pick<LinkPreviews, 'find'>;
}

/**
 * Adds link previews before messages are sent. A message that waits for its preview delays only its
 * own chat, whose previews are fetched at the same time. The preview, or its failure, is stored
 * before the send, so that a resend shows the same preview.
 */
export class PreviewedSends {
  readonly #deps: PreviewedSendsDeps;
  readonly #owner: Owner;
  readonly #isHabit: (habit: Habit) => boolean;
  readonly #tails = new Map<string, Promise<void>>();

  constructor(deps: PreviewedSendsDeps, owner: Owner, isHabit: (habit: Habit) => boolean) {
    this.#deps = deps;
    this.#owner = owner;
    this.#isHabit = isHabit;
  }

  /** Sends at once unless the message or an earlier one in its chat waits for a preview. */
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
    const found = this.#isHabit('previews') ? await linkPreviews.find(this.#owner.tenantId, url) : null;
    const preview: LinkPreview = { url, ...(by_default && { by_default }), ...(found ?? { failed: true }) };
    await messages.notePreview(this.#owner, message.netId, preview).catch(() => {});
    return withPreview(message, preview);
  }
}

function withPreview({ preview: _, ...message }: OutgoingMessage, preview: LinkPreview | null): OutgoingMessage {
  return preview?.title === undefined ? message : { ...message, preview };
}
