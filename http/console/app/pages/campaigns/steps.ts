import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import type { Load } from '../../api/resource.ts';
import type { ChosenTemplate } from '../official/campaign-template.tsx';

export const AUDIENCES = ['all', 'tags', 'segment', 'paste', 'file'] as const;
/** `kept`: the recipients already listed in the draft that is being edited. */
export type Audience = (typeof AUDIENCES)[number] | 'kept';

export interface Media {
  readonly key: string;
  readonly type: 'image' | 'video' | 'audio' | 'document';
  /** Null for a file that an edited draft already had. */
  readonly name: string | null;
  readonly size: number | null;
}

export interface Draft {
  readonly name: string;
  readonly sessionId: string;
  readonly audience: Audience;
  /** A pasted list or file with one `number,name` per line. */
  readonly lines: string;
  readonly segmentId: string;
  readonly tags: readonly string[];
  readonly without: readonly string[];
  /** Excludes people to whom the business has written within this many hours. */
  readonly quietHours: number | null;
  readonly body: string;
  readonly media: Media | null;
  readonly template: ChosenTemplate | null;
  /** Start time in epoch ms; null to start immediately. */
  readonly at: number | null;
}

export interface Choices {
  readonly devices: readonly Schemas['Session'][];
  readonly segments: readonly Schemas['Segment'][];
  readonly tags: readonly Schemas['Tag'][];
  readonly templates: readonly Schemas['Template'][];
  readonly official: readonly Schemas['Template'][];
  readonly attributes: readonly string[];
  readonly edited: Schemas['BlastCampaign'] | null;
}

export const STEPS = ['who', 'what', 'when', 'attest'] as const;
export type StepName = (typeof STEPS)[number];

export interface StepProps {
  readonly draft: Draft;
  readonly choices: Choices;
  readonly preview: Load<Schemas['BlastPreview'] | null>;
  readonly onDraft: (patch: Partial<Draft>) => void;
}

export const countOf = (props: StepProps): number | null =>
  props.draft.audience === 'kept' ? (props.choices.edited?.total_recipients ?? null) : (previewIn(props)?.recipients ?? null);

/** Returns null if the device is a linked phone, which has no official templates. */
export function officialTemplates({ draft, choices }: Pick<StepProps, 'draft' | 'choices'>): Choices['official'] | null {
  const accountOf = (id: string): string | undefined => choices.devices.find((one) => one.id === id)?.official?.waba_id;
  const account = accountOf(draft.sessionId);
  if (account === undefined) return null;
  return choices.official.filter(({ official }) => official && accountOf(official.session_id) === account);
}

export const previewIn = ({ preview }: StepProps): Schemas['BlastPreview'] | null => (preview.state === 'loaded' ? preview.data : null);
