import type { JSX } from 'preact';
import { person } from '../state/session.ts';
import { common } from '../words/common.ts';
import { Icon } from './icon.tsx';
import { initialsOf } from './initials.ts';

interface PhoneFrameProps {
  readonly text: string | null;
  readonly hasFile?: boolean;
  readonly title?: string;
  readonly footer?: string;
  readonly buttons?: readonly string[];
}

/** The text is never rendered as markup. */
export function PhoneFrame({ text, hasFile = false, title = '', footer = '', buttons = [] }: PhoneFrameProps): JSX.Element {
  const name = person.value?.name ?? '';
  return (
    <div class="phone-frame">
      <div class="phone-frame-top">
        <span class="avatar small ground-1" aria-hidden="true">
          {initialsOf(name)}
        </span>
        <bdi class="one-line">{name}</bdi>
      </div>
      <div class="phone-frame-body">
        <div class="bubble">
          {hasFile && (
            <p class="phone-frame-file small">
              <Icon name="clip" small />
              {common().file}
            </p>
          )}
          {title !== '' && <strong class="breaks">{title}</strong>}
          {title !== '' && <br />}
          {text}
          {footer !== '' && <p class="small meta">{footer}</p>}
        </div>
        {buttons.map((one) => (
          <div key={one} class="phone-frame-button">
            {one}
          </div>
        ))}
      </div>
    </div>
  );
}
