/** A node of a page. Text nodes have only the first four members. */
export interface DomElement {
  readonly nodeType: number;
  readonly nodeValue: string | null;
  readonly textContent: string | null;
  readonly childNodes: Iterable<DomElement>;
  readonly tagName: string;
  readonly previousElementSibling: DomElement | null;
  readonly nextElementSibling: DomElement | null;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  closest(selector: string): DomElement | null;
  matches(selector: string): boolean;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  remove(): void;
  replaceWith(text: string): void;
}

export interface DomDocument extends DomElement {
  readonly title: string;
  readonly body: DomElement;
  getElementById(id: string): DomElement | null;
}

const APART = /^(BR|P|DIV|LI|UL|OL|TR|TD|TH|DT|DD|H[1-6])$/;

export function contentOf(element: DomElement): string {
  let text = '';
  const walk = (node: DomElement): void => {
    for (const child of node.childNodes) {
      if (child.nodeType === 3) text += child.nodeValue ?? '';
      else if (child.nodeType === 1) {
        const isApart = APART.test(child.tagName.toUpperCase());
        if (isApart) text += ' ';
        walk(child);
        if (isApart) text += ' ';
      }
    }
  };
  walk(element);
  return text.replace(/\s+/g, ' ').trim();
}
