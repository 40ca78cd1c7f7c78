/** Returns false if the page uses plain http or may not access the clipboard. */
export async function copyText(
  text: string,
  clipboard: Pick<{ writeText(text: string): Promise<void> }, 'writeText'> | undefined,
): Promise<boolean> {
  try {
    await clipboard?.writeText(text);
    return clipboard !== undefined;
  } catch {
    return false;
  }
}
