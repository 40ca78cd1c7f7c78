import type { BinaryNode, Library, proto, WAMessage } from './library.ts';
import type { Secrets } from './signal/secrets.ts';
import { attempt, type Wires } from './wires.ts';

const ABSENT = 'absent';
/** As the network's own client has it: for what is older the phone is not asked. */
const ASKED_FOR_MS = 14 * 86_400_000;
/** Asked for at a time. */
const MOST_AT_ONCE = 100;
/** Waited for at a time; what is absent beyond them is acknowledged and not asked for. */
const MOST_ABSENT = 1_000;
/** What nobody but the phone itself may show. */
const NOT_TOLD: ReadonlySet<string | undefined> = new Set([
  'bot_unavailable_fanout',
  'hosted_unavailable_fanout',
  'view_once_unavailable_fanout',
]);

/** What the network tells of a message without what it says. */
interface Absence {
  readonly key: WAMessage['key'];
  readonly pushName: string | null;
  /** Epoch seconds. */
  readonly messageTimestamp: number;
}

/**
 * Messages that come without what they say, as the first after an advertisement does: the phone has it, and is asked for it. That it is to be
 * asked is kept until it has answered, so that it is asked again at each login; after 14 days it is given up. Only what is kept so is taken
 * from an answer: a second answer brings nothing.
 */
export class Absences {
  readonly #wires: Wires;
  /** By network id. */
  readonly #absent = new Map<string, Absence>();
  readonly #unasked = new Set<string>();

  constructor(wires: Wires) {
    this.#wires = wires;
  }

  /** Asks again for what the last login left. */
  async resume(): Promise<void> {
    const { keyring } = this.#wires;
    for (const [netId, kept] of await keyring.all(ABSENT)) {
      if (this.#isLate(kept as Absence)) keyring.set(ABSENT, { [netId]: null });
      else this.#expect(netId, kept as Absence);
    }
    attempt(this.#wires, 'asking for what was absent', () => this.#ask());
  }

  /** Resolves when it is kept that the phone is to be asked for it, where it is. */
  async note(node: BinaryNode, { key, pushName, messageTimestamp }: WAMessage): Promise<void> {
    const { library, keyring, log } = this.#wires;
    const absence: Absence = { key, pushName: pushName ?? null, messageTimestamp: Number(messageTimestamp) || 0 };
    if (NOT_TOLD.has(library.getBinaryNodeChild(node, 'unavailable')?.attrs['type']) || this.#isLate(absence)) return;
    if (this.#absent.size >= MOST_ABSENT) return log.warn('a message came without what it says, and too many are asked for');
    keyring.set(ABSENT, { [key.id!]: absence });
    this.#expect(key.id!, absence);
    await keyring.durable();
    attempt(this.#wires, 'asking for what is absent', () => this.#ask());
  }

  /** The messages that this one of our own phone brings, as if the network had brought them whole. */
  broughtBy({ key, message }: WAMessage): readonly WAMessage[] {
    const { library } = this.#wires;
    const answer = key.fromMe && message?.protocolMessage?.peerDataOperationRequestResponseMessage;
    if (!answer) return [];
    return (answer.peerDataOperationResult ?? []).flatMap(({ placeholderMessageResendResponse: one }) => {
      const info = decoded(library, one?.webMessageInfoBytes);
      const absence = this.#absent.get(info?.key?.id ?? '');
      return absence && info?.message ? [{ ...absence, key: { ...absence.key }, message: info.message }] : [];
    });
  }

  /** They are asked for no more, once the draft is set. */
  end(netIds: readonly string[], draft: Secrets): void {
    for (const netId of netIds.filter((one) => this.#absent.delete(one))) {
      this.#unasked.delete(netId);
      draft.set(ABSENT, { [netId]: null });
    }
  }

  #expect(netId: string, absence: Absence): void {
    this.#absent.set(netId, absence);
    this.#unasked.add(netId);
  }

  #isLate({ messageTimestamp }: Absence): boolean {
    return messageTimestamp * 1_000 < this.#wires.clock.now() - ASKED_FOR_MS;
  }

  /** Asks for all that was not asked for on this login. */
  async #ask(): Promise<void> {
    const { opened, socket, library } = this.#wires;
    await opened;
    while (this.#unasked.size > 0) {
      const netIds = [...this.#unasked].slice(0, MOST_AT_ONCE);
      for (const netId of netIds) this.#unasked.delete(netId);
      await socket.sendPeerDataOperationMessage({
        peerDataOperationRequestType: library.proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
        placeholderMessageResendRequest: netIds.map((netId) => ({ messageKey: keyFor(this.#absent.get(netId)!) })),
      });
    }
  }
}

const keyFor = ({ key: { remoteJid, fromMe, id, participant } }: Absence): proto.IMessageKey => ({
  remoteJid: remoteJid ?? null,
  fromMe: fromMe ?? null,
  id: id ?? null,
  participant: participant ?? null,
});

/** null: nothing, or nothing that can be read. */
function decoded({ proto: { WebMessageInfo } }: Library, bytes: Uint8Array | null | undefined): proto.IWebMessageInfo | null {
  try {
    return bytes ? WebMessageInfo.decode(bytes) : null;
  } catch {
    return null;
  }
}
