import type { JSX } from 'preact';

interface TabsProps {
  readonly label: string;
  readonly current: string;
  readonly tabs: readonly (readonly [name: string, text: string, href: string])[];
}

export const Tabs = ({ label, current, tabs }: TabsProps): JSX.Element => (
  <nav class="tabs" aria-label={label}>
    <ul>
      {tabs.map(([name, text, href]) => (
        <li key={name}>
          <a class="tab" href={href} aria-current={name === current ? 'page' : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);
