import type { Command } from 'commander';

/** What can follow a command. */
interface Completion {
  /** The command with those above it: `groundwork admin`. */
  readonly command: string;
  readonly names: readonly Word[];
  readonly options: readonly Word[];
}

interface Word {
  readonly text: string;
  readonly description: string;
}

/** Shells for which completion exists. */
export const shells = { bash: bashScript, zsh: zshScript } as const;

/** Returns what can follow each command of the program. */
export function completionsOf(command: Command, above = ''): readonly Completion[] {
  const help = command.createHelp();
  const name = above + command.name();
  const commands = help.visibleCommands(command);
  const named = commands.map((one) => ({ text: one.name(), description: one.description() }));
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((text) => ({ text, description: '' })),
  );
  const options = help
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ text: long, description }] : []));
  return [
    { command: name, names: [...named, ...choices], options },
    ...command.commands.flatMap((one) => completionsOf(one, `${name} `)),
  ];
}

function bashScript(completions: readonly Completion[]): string {
  const words = (list: readonly Word[]) => quote(list.map(({ text }) => text).join(' '));
  return `# Completion of groundwork for bash: source <(groundwork completion bash)
_groundwork() {
  local at=groundwork word names options current=\${COMP_WORDS[COMP_CWORD]}
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${patternOf(completions)}) at="$at $word" ;;
    esac
  done
  case $at in
${casesOf(completions, ({ names, options }) => `names=${words(names)} options=${words(options)}`)}
  esac
  [[ $current == -* ]] && names=$options
  COMPREPLY=($(compgen -W "$names" -- "$current"))
}
complete -o default -F _groundwork groundwork
`;
}

function zshScript(completions: readonly Completion[]): string {
  const words = (list: readonly Word[]) =>
    `(${list
      .map(({ text, description }) => quote(`${text}:${description.replaceAll(':', '\\:')}`))
      .join(' ')})`;
  return `#compdef groundwork
# Completion of groundwork for zsh, after compinit: source <(groundwork completion zsh)
_groundwork() {
  local at=groundwork word
  local -a names options
  for word in \${words[2,CURRENT-1]}; do
    case "$at $word" in
      ${patternOf(completions)}) at="$at $word" ;;
    esac
  done
  case $at in
${casesOf(completions, ({ names, options }) => `names=${words(names)} options=${words(options)}`)}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options -o
  elif (( $#names )); then
    _describe command names
  else
    _files
  fi
}
compdef _groundwork groundwork
`;
}

/** Returns a pattern that matches the commands below the program. */
function patternOf(completions: readonly Completion[]): string {
  return completions
    .slice(1)
    .map(({ command }) => quote(command))
    .join(' | ');
}

function casesOf(
  completions: readonly Completion[],
  body: (completion: Completion) => string,
): string {
  return completions.map((one) => `    ${quote(one.command)}) ${body(one)} ;;`).join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
