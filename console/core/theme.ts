import { effect, signal } from '@preact/signals';

/** `system` follows the setting of the device. */
export type Theme = 'system' | 'light' | 'dark';

const storageName = 'groundwork-console-theme';
const themes: readonly Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>(
  themes.find((each) => each === localStorage.getItem(storageName)) ?? 'system',
);

/** Applies the theme, now and whenever it changes. */
export function watchTheme(): void {
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
    localStorage.setItem(storageName, theme.value);
  });
}

/** Switches to the next theme: system, light, dark. */
export function nextTheme(): void {
  const index = themes.indexOf(theme.peek());
  theme.value = themes[(index + 1) % themes.length] ?? 'system';
}
