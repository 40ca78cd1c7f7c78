import { html, type Markup, render } from '../openapi/markup.ts';

/** What the page is told before it asks the gateway anything. */
export interface DocumentFacts {
  readonly build: string;
  /** The simulated phones answer at /sandbox/*. */
  readonly hasSandbox: boolean;
}

/**
 * What a page of the console may do: run and style itself with our own files, talk to this gateway, and show pictures that it fetched. No
 * string becomes script or markup.
 */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The one document of the console: every page is this one, and its script tells them apart by their path. */
export const documentOf = (facts: DocumentFacts): string => render(page(facts));

const page = ({ build, hasSandbox }: DocumentFacts): Markup => html`<!doctype html>
<html lang="en" data-build="${build}" data-sandbox="${hasSandbox ? 'yes' : 'no'}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Gateway</title><link rel="icon" href="/console/icon.svg" type="image/svg+xml">
<script src="/console/boot.js"></script><link rel="stylesheet" href="/console/style.css">
<script type="module" src="/console/app.js"></script></head>
<body><div id="app"></div><noscript>This console needs JavaScript. / Konsol ini memerlukan JavaScript.</noscript></body></html>
`;
