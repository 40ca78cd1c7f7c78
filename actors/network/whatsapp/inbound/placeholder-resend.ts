import { STORIES } from '../../jid.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import type { BinaryNode, Library, proto } from '../library.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import type { Secrets } from '../signal/secrets.ts';
import { type KeyedMessage, nameOf } from './keyed-message.ts';
import { fieldIn } from './unknown.ts';

const ABSENT: SecretKind<MissingContent> = 'absent';
/** How long a request for content stays open. The network's own client uses the same time. */
const ASKED_FOR_MS = 14 * 86_400_000;
const MAX_CONCURRENT = 100;
/** Maximum number of pending requests. If there are more, messages are acknowledged, but not requested. */
const MAX_PENDING_RESENDS = 1_000;
/** Limit for unreadable messages, so that other requests remain for content that only the phone has. */
const MAX_UNREADABLE = 500;
const UNAVAILABLE_KINDS: ReadonlySet<string | undefined> = new Set([
  'bot_unavailable_fanout',
  'hosted_unavailable_fanout',
  'view_once_unavailable_fanout',
]);

interface MissingContent {
  readonly key: KeyedMessage['key'];
  readonly pushName: string | null;
  readonly messageTimestamp: number;
}

export interface Brought {
  readonly message: KeyedMessage;
  readonly bytes: Uint8Array | null;
}

/** Asks the phone for missing content. Requests are stored and repeated at every login for 14 days. */
export class PlaceholderResends {
  readonly #context: ConnectionContext;
  readonly #absent = new Map<string, MissingContent>();
  readonly #unasked = new Set<string>();

  constructor(context: ConnectionContext) {
    this.#context = context;
  }

  async resume(): Promise<void> {
    const { credentialBuffer } = this.#context;
    for (const [name, kept] of await credentialBuffer.all(ABSENT)) {
      if (this.#isLate(kept)) credentialBuffer.set(ABSENT, { [name]: null });
      else this.#expect(name, kept);
    }
    attempt(this.#context, 'asking for what was absent', () => this.#ask());
  }

  /** Resolves when the request is stored. Sends it after `afterMs`, unless the content arrives before. */
  async note(node: BinaryNode, { key, pushName, messageTimestamp }: KeyedMessage, afterMs: number): Promise<void> {
    const { library, credentialBuffer, clock, log } = this.#context;
    const name = nameOf(key);
    if (this.#absent.has(name) || key.remoteJid === STORIES) return;
    const absence: MissingContent = { key, pushName: pushName ?? null, messageTimestamp: Number(messageTimestamp) || 0 };
    if (UNAVAILABLE_KINDS.has(library.getBinaryNodeChild(node, 'unavailable')?.attrs['type']) || this.#isLate(absence)) return;
    if (this.#absent.size >= (afterMs > 0 ? MAX_UNREADABLE : MAX_PENDING_RESENDS))
      return log.warn(
        { event: 'message.resend_limit' },
        'a message arrived unreadable or without its content, and too many resends are already pending',
      );
    credentialBuffer.set(ABSENT, { [name]: absence });
    this.#expect(name, absence);
    await credentialBuffer.durable();
    const ask = (): void => attempt(this.#context, 'asking for what is absent', () => this.#ask());
    if (afterMs === 0) ask();
    else clock.after(afterMs, ask);
  }

  broughtBy({ key, message }: KeyedMessage): readonly Brought[] {
    const { library } = this.#context;
    const answer = key.fromMe && message?.protocolMessage?.peerDataOperationRequestResponseMessage;
    if (!answer) return [];
    return (answer.peerDataOperationResult ?? []).flatMap(({ placeholderMessageResendResponse: one }) => {
      const info = decoded(library, one?.webMessageInfoBytes);
      const absence = this.#absenceOf(info?.key ?? {});
      if (!absence || !info?.message || !one?.webMessageInfoBytes) return [];
      const bytes = fieldIn(one.webMessageInfoBytes, MESSAGE_FIELD);
      return [{ message: { ...absence, key: { ...absence.key }, message: info.message }, bytes }];
    });
  }

  end(names: readonly string[], draft: Secrets): void {
    for (const name of names.flatMap((one) => this.#keptAs(one))) {
      this.#absent.delete(name);
      this.#unasked.delete(name);
      draft.set(ABSENT, { [name]: null });
    }
  }

  /** Compares addresses only if messages share a network id, because the phone may use other addresses. */
  #absenceOf({ id, remoteJid, participant }: proto.IMessageKey): MissingContent | undefined {
    const same = [...this.#absent.values()].filter(({ key }) => key.id === id);
    const named = same.find(({ key }) => key.remoteJid === remoteJid && (key.participant || '') === (participant || ''));
    return named ?? (same.length === 1 ? same[0] : undefined);
  }

  #keptAs(name: string): readonly string[] {
    if (this.#absent.has(name)) return [name];
    return [...this.#absent].flatMap(([kept, { key }]) => (kept === key.id && nameOf(key) === name ? [kept] : []));
  }

  #expect(name: string, absence: MissingContent): void {
    this.#absent.set(name, absence);
    this.#unasked.add(name);
  }

  #isLate({ messageTimestamp }: MissingContent): boolean {
    return messageTimestamp * 1_000 < this.#context.clock.now() - ASKED_FOR_MS;
  }

  async #ask(): Promise<void> {
    const { opened, socket, library } = this.#context;
    await opened;
    while (this.#unasked.size > 0 && socket.ws.isOpen) {
      const names = [...this.#unasked].slice(0, MAX_CONCURRENT);
      for (const name of names) this.#unasked.delete(name);
      const absent = names.flatMap((name) => this.#absent.get(name) ?? []);
      await socket.sendPeerDataOperationMessage({
        peerDataOperationRequestType: library.proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
        placeholderMessageResendRequest: absent.map((absence) => ({ messageKey: keyFor(absence) })),
      });
    }
  }
}

const MESSAGE_FIELD = 2;

const keyFor = ({ key: { remoteJid, fromMe, id, participant } }: MissingContent): proto.IMessageKey => ({
  remoteJid: remoteJid ?? null,
  fromMe: fromMe ?? null,
  id: id ?? null,
  participant: participant ?? null,
});

function decoded({ proto: { WebMessageInfo } }: Library, bytes: Uint8Array | null | undefined): proto.IWebMessageInfo | null {
  try {
    return bytes ? WebMessageInfo.decode(bytes) : null;
  } catch {
    return null;
  }
}
