import { refusal } from '../refusals.ts';
import type { Wrist } from './act-hands.ts';
import type { Download } from './arriving-file.ts';
import { type InboundPorts, storeInbound } from './inbound.ts';
import { type LeftFilePorts, LeftFilesOf } from './left-files.ts';
import type { DeviceEffect } from './protocol.ts';

type Fetching = Extract<DeviceEffect, { do: 'fetchFile' }>;
type Storing = Extract<DeviceEffect, { do: 'storeInbound' }>;

export interface IntakePorts extends Omit<InboundPorts, 'download'>, LeftFilePorts {}

/** What comes in at one device: messages with their files, and files that were left on the network. */
export class Intake {
  readonly #ports: IntakePorts;
  readonly #wrist: Omit<Wrist, 'caughtUp' | 'write'>;
  readonly #leftFiles: LeftFilesOf;
  readonly #storing = new Set<Promise<void>>();

  constructor(ports: IntakePorts, wrist: Omit<Wrist, 'caughtUp' | 'write'>) {
    this.#ports = ports;
    this.#wrist = wrist;
    this.#leftFiles = new LeftFilesOf(ports, wrist.owner);
  }

  store({ dial, message, isOurs }: Storing): void {
    const { owner, hear, settle, storeFailed } = this.#wrist;
    const line = this.#wrist.line();
    const download: Download = () => line?.download(message.file ?? {}) ?? Promise.reject(refusal('NOT_CONNECTED'));
    const stored = storeInbound({ ...this.#ports, download }, owner, { message, isOurs }, this.#ports.clock.now()).then(
      () => {
        hear({ type: 'kept', dial, token: message.netId });
        settle();
      },
      (cause) => storeFailed(cause),
    );
    this.#storing.add(stored);
    void stored.finally(() => this.#storing.delete(stored));
  }

  /** Resolves when no message that came in so far is still being stored. */
  caughtUp(): Promise<unknown> {
    return Promise.all(this.#storing);
  }

  fetch({ id, replyTo }: Fetching): void {
    const { hear } = this.#wrist;
    this.#leftFiles.fetch(id, this.#wrist.line()).then(
      (value) => hear({ type: 'answered', to: replyTo, value }),
      (error: Error) => hear({ type: 'refused', to: replyTo, error }),
    );
  }
}
