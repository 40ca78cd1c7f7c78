import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';

/** Shows a component as soon as its module has been loaded. It keeps other pages, such as sign-in, small. */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => JSX.Element | null {
  const loaded = signal<{ readonly Component: ComponentType<Props> } | null>(null);
  return function Late(props: Props): JSX.Element | null {
    useEffect(() => {
      load().then(
        (Component) => (loaded.value = { Component }),
        () => {},
      );
    }, []);
    return loaded.value && <loaded.value.Component {...props} />;
  };
}
