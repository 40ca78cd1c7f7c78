import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';

/** What is chosen so far. */
export interface Draft {
  readonly name: string;
  readonly sessionId: string;
  readonly audience: 'typed' | 'segment' | 'tag';
  readonly lines: string;
  readonly segmentId: string;
  readonly tag: string;
  readonly body: string;
  /** Epoch ms; null: as soon as it is started. */
  readonly at: number | null;
}

/** What there is to choose from. */
export interface Choices {
  readonly devices: readonly Schemas['Session'][];
  readonly segments: readonly Schemas['Segment'][];
  readonly tags: readonly Schemas['Tag'][];
  readonly settings: Schemas['Settings'];
  readonly timezone: string;
  readonly usage: Schemas['Usage'];
}

export interface StepProps {
  readonly draft: Draft;
  readonly choices: Choices;
  readonly onDraft: (patch: Partial<Draft>) => void;
}
