import type { JSX } from 'preact';

interface SegmentedProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly hrefOf: (value: T) => string;
}

/** The choice is part of the address, so Back undoes it. */
export const Segmented = <T extends string>({ label, value, options, hrefOf }: SegmentedProps<T>): JSX.Element => (
  <nav class="segmented" aria-label={label}>
    {options.map(([one, text]) => (
      <a key={one} href={hrefOf(one)} aria-current={one === value ? 'true' : undefined}>
        {text}
      </a>
    ))}
  </nav>
);
