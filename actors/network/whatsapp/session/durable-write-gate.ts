import type { Duplex } from 'node:stream';
import type { CredentialBuffer } from '../keys/credential-buffer.ts';

type Done = (error?: Error | null) => void;

interface HeldFrame {
  readonly mark: number;
  readonly bytes: Uint8Array;
}

/** Maximum number of frames per tick, because creating a frame blocks the event loop. */
const MAX_PER_TURN = 8;

/** Holds each frame until all earlier changes of its device, such as its chain step, are stored. */
export class DurableWriteGate {
  readonly #credentialBuffer: CredentialBuffer;
  readonly #write: (bytes: Uint8Array) => boolean;
  readonly #socket: Duplex;
  #held: HeldFrame[] = [];
  #isDue = false;

  private constructor(socket: Duplex, credentialBuffer: CredentialBuffer) {
    this.#socket = socket;
    this.#credentialBuffer = credentialBuffer;
    this.#write = socket.write.bind(socket);
  }

  static of(socket: Duplex, credentialBuffer: CredentialBuffer): DurableWriteGate {
    const writeGate = new DurableWriteGate(socket, credentialBuffer);
    socket.write = (bytes: Uint8Array, encoding?: BufferEncoding | Done, done?: Done) => {
      writeGate.#hold(bytes, typeof encoding === 'function' ? encoding : done);
      return true;
    };
    return writeGate;
  }

  #hold(bytes: Uint8Array, done: Done | undefined): void {
    const isNew = this.#held.at(-1)?.mark !== this.#credentialBuffer.mark;
    this.#held.push({ mark: this.#credentialBuffer.mark, bytes });
    if (isNew) this.#wait();
    if (done) this.#goOn(done);
  }

  #goOn(done: Done): void {
    if (this.#held.length % MAX_PER_TURN === 0) setImmediate(done);
    else process.nextTick(done);
  }

  #wait(): void {
    this.#credentialBuffer.durable().then(
      () => this.#flushSoon(),
      () => {
        this.#held = [];
      },
    );
  }

  #flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    process.nextTick(() => {
      this.#isDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    const ready = this.#held.findIndex(({ mark }) => !this.#credentialBuffer.isStored(mark));
    const leaving = ready < 0 ? this.#held.splice(0) : this.#held.splice(0, ready);
    this.#socket.cork();
    for (const { bytes } of leaving) this.#write(bytes);
    this.#socket.uncork();
  }
}
