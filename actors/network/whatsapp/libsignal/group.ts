import {
  GroupCipher,
  GroupSessionBuilder,
  ProtocolAddress,
  SenderKeyDistributionMessage,
  SenderKeyName,
  type SignalStorage,
} from 'whatsapp-rust-bridge';
import { present } from '../../../../runtime/invariant.ts';

export interface Sender {
  readonly group: string;
  readonly address: string;
  readonly record: Uint8Array | null;
}

/** Encrypts for a group. Other devices need `distribution` to decrypt the message. */
export async function sealForGroup(
  sender: Sender,
  plain: Uint8Array,
): Promise<{ ciphertext: Buffer; distribution: Uint8Array; record: Uint8Array }> {
  const use = new SenderKeyUse(sender);
  return use.run(async () => {
    const distribution = await use.distribution();
    const ciphertext = Buffer.from(await use.cipher((cipher) => cipher.encrypt(plain)));
    return { ciphertext, distribution, record: use.changed() };
  });
}

export async function sealForKnown(sender: Sender, plain: Uint8Array): Promise<{ ciphertext: Buffer; record: Uint8Array }> {
  const use = new SenderKeyUse(sender);
  return use.run(async () => {
    const ciphertext = Buffer.from(await use.cipher((cipher) => cipher.encrypt(plain)));
    return { ciphertext, record: use.changed() };
  });
}

export async function distribute(sender: Sender): Promise<{ distribution: Uint8Array; record: Uint8Array }> {
  const use = new SenderKeyUse(sender);
  return use.run(async () => ({ distribution: await use.distribution(), record: use.changed() }));
}

/** Rejects an unknown key, a wrong signature, or (with `old counter`) a message decrypted before. */
export async function openOfGroup(sender: Sender, ciphertext: Uint8Array): Promise<{ plain: Uint8Array; record: Uint8Array }> {
  const use = new SenderKeyUse(sender);
  return use.run(async () => ({ plain: await use.cipher((cipher) => cipher.decrypt(ciphertext)), record: use.changed() }));
}

export async function learn(sender: Sender, distribution: Uint8Array): Promise<Uint8Array> {
  const use = new SenderKeyUse(sender);
  return use.run(async () => {
    await use.learn(distribution);
    return use.changed();
  });
}

/** One operation with a sender key. Never reused, because the Rust cipher keeps the keys it has read. */
class SenderKeyUse {
  #record: Uint8Array | null;
  readonly #group: string;
  readonly #address: ProtocolAddress;
  readonly #storage: SignalStorage;

  constructor({ group, address, record }: Sender) {
    const dot = address.lastIndexOf('.');
    this.#record = record;
    this.#group = group;
    this.#address = new ProtocolAddress(address.slice(0, dot), Number(address.slice(dot + 1)));
    this.#storage = {
      ...NO_SESSIONS,
      loadSenderKey: () => this.#record,
      storeSenderKey: (_name, changed) => {
        this.#record = Buffer.from(changed);
      },
    };
  }

  changed(): Uint8Array {
    return present(this.#record, 'the record of a group key');
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      // Throw an Error instead of Rust's string, because the library reads the message of an error.
      throw cause instanceof Error ? cause : new Error(String(cause));
    } finally {
      this.#address.free();
    }
  }

  cipher<T>(work: (cipher: GroupCipher) => Promise<T>): Promise<T> {
    const cipher = new GroupCipher(this.#storage, this.#group, this.#address);
    return work(cipher).finally(() => cipher.free());
  }

  distribution(): Promise<Uint8Array> {
    return this.#build(async (builder, name) => {
      const message = await builder.create(name);
      const bytes = message.serialize();
      message.free();
      return bytes;
    });
  }

  learn(distribution: Uint8Array): Promise<void> {
    return this.#build(async (builder, name) => {
      const message = SenderKeyDistributionMessage.deserialize(distribution);
      await builder.process(name, message).finally(() => message.free());
    });
  }

  #build<T>(work: (builder: GroupSessionBuilder, name: SenderKeyName) => Promise<T>): Promise<T> {
    const builder = new GroupSessionBuilder(this.#storage);
    const name = new SenderKeyName(this.#group, this.#address);
    return work(builder, name).finally(() => {
      builder.free();
      name.free();
    });
  }
}

const never = (): never => {
  throw new Error('a group needs no such key');
};

const NO_SESSIONS: Omit<SignalStorage, 'loadSenderKey' | 'storeSenderKey'> = {
  loadSession: () => null,
  storeSession: never,
  getOurIdentity: never,
  getOurRegistrationId: never,
  isTrustedIdentity: () => true,
  loadPreKey: never,
  removePreKey: never,
  loadSignedPreKey: never,
};
