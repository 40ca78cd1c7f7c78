import type { JSX } from 'preact';
import { browserZone, zone } from '../state/zone.ts';
import { cityOf } from '../words/formats.ts';
import { localText, momentOf } from '../words/moment.ts';
import { wordsOf } from '../words/words.ts';
import { Field } from './field.tsx';

const words = wordsOf({
  en: {
    inZone: (city: string) => `In ${city} time.`,
  },
  id: {
    inZone: (city) => `Waktu ${city}.`,
  },
});

interface MomentFieldProps {
  readonly label: string;
  /** Null until one is chosen. */
  readonly at: number | null;
  readonly onAt: (at: number) => void;
  readonly hint?: string;
}

/** A moment in the business's time zone, which is named if the browser's clock shows another time then. */
export function MomentField({ label, at, onAt, hint }: MomentFieldProps): JSX.Element {
  const here = zone.value;
  const shown = at ?? Date.now();
  const isElsewhere = localText(shown, here) !== localText(shown, browserZone);
  return (
    <Field
      label={label}
      hint={[isElsewhere && words().inZone(cityOf(here)), hint].filter(Boolean).join(' ')}
      type="datetime-local"
      required
      value={at === null ? '' : localText(at, here)}
      onValue={(value) => {
        const chosen = momentOf(value, here);
        if (chosen !== null) onAt(chosen);
      }}
    />
  );
}
