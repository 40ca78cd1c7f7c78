import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import type { Load } from '../../api/resource.ts';

export const AUDIENCES = ['all', 'tags', 'segment', 'paste', 'file'] as const;
export type Audience = (typeof AUDIENCES)[number];

/** What is chosen so far. */
export interface Draft {
  readonly name: string;
  readonly sessionId: string;
  readonly audience: Audience;
  /** `number,name` a line: of a list that was pasted, or of a file. */
  readonly lines: string;
  readonly segmentId: string;
  /** Any of them. */
  readonly tags: readonly string[];
  /** None of them. */
  readonly without: readonly string[];
  /** Leaves out whom the business wrote to within so many hours; null: nobody. */
  readonly quietHours: number | null;
  readonly body: string;
  /** Epoch ms; null: as soon as it is started. */
  readonly at: number | null;
}

/** What there is to choose from. */
export interface Choices {
  readonly devices: readonly Schemas['Session'][];
  readonly segments: readonly Schemas['Segment'][];
  readonly tags: readonly Schemas['Tag'][];
  /** Those that are sent as they are; templates of the official platform are not texts of our own. */
  readonly templates: readonly Schemas['Template'][];
  /** Keys of contact fields. */
  readonly attributes: readonly string[];
}

export const STEPS = ['who', 'what', 'when', 'attest'] as const;
export type StepName = (typeof STEPS)[number];

export interface StepProps {
  readonly draft: Draft;
  readonly choices: Choices;
  /** What the gateway says of the draft as it is. */
  readonly preview: Load<Schemas['BlastPreview'] | null>;
  readonly onDraft: (patch: Partial<Draft>) => void;
}

/** What a step shows of the preview: null while there is none. */
export const previewIn = ({ preview }: StepProps): Schemas['BlastPreview'] | null => (preview.state === 'loaded' ? preview.data : null);
