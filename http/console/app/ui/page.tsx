import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { common } from '../words/common.ts';
import { Icon } from './icon.tsx';

export const isLeaving = signal(false);

/** Number of parts of the page that are still waiting for their first data. */
export const waiting = signal(0);

interface PageProps {
  readonly title: string;
  /** Shown instead of `title`, which is then used only for the window and the history. */
  readonly heading?: string;
  readonly about?: string | undefined;
  readonly within?: readonly [title: string, href: string];
  readonly beside?: ComponentChildren;
  readonly busy?: boolean;
  readonly actions?: ComponentChildren;
  /** `narrow`: a single card that also holds the title. `wide`: the whole window. */
  readonly width?: 'narrow' | 'wide';
  /** If true, only screen readers see the title. */
  readonly isHeadHidden?: boolean;
  readonly children?: ComponentChildren;
}

export function Page({
  title,
  heading = title,
  about,
  within,
  beside,
  busy = false,
  actions,
  width,
  isHeadHidden = false,
  children,
}: PageProps): JSX.Element {
  useEffect(() => {
    document.title = `${title} · ${common().product}`;
  }, [title]);
  const content = (
    <>
      <div class={isHeadHidden ? 'only-heard' : 'page-head'}>
        <div>
          {within && (
            <nav class="crumbs" aria-label={common().crumbs}>
              <a href={within[1]}>{within[0]}</a>
              <Icon name="right" small />
            </nav>
          )}
          <div class="title-line">
            <h1 tabIndex={-1}>
              <bdi>{heading}</bdi>
            </h1>
            {beside}
          </div>
          {about && <p class="soft">{about}</p>}
        </div>
        {actions && <div class="buttons">{actions}</div>}
      </div>
      {children}
    </>
  );
  return (
    <main
      id="main"
      class={`main ${width ?? ''} ${isHeadHidden ? 'bare' : ''}`}
      aria-busy={busy || isLeaving.value || waiting.value > 0}
      tabIndex={-1}
    >
      {width === 'narrow' ? <div class="card door">{content}</div> : content}
    </main>
  );
}
