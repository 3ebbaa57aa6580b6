#include "cli/completion.h"

namespace berth::cli {

namespace {

// PROGRAM stands for the program's name.
constexpr const char* kBash =
    R"sh(# bash completion for PROGRAM; to load it: source <(PROGRAM completion bash)
_PROGRAM_complete() {
  local line=${COMP_LINE:0:COMP_POINT} word current directive answer
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current=${words[${#words[@]} - 1]}
  answer=$("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null) || return
  directive=${answer##*:}
  COMPREPLY=()
  while IFS= read -r word; do
    [[ $word == :* ]] && continue
    word=${word%%$'\t'*}
    # bash takes what stands behind the last of these signs for the word.
    [[ $current == *=* && $COMP_WORDBREAKS == *=* ]] && word=${word#*=}
    COMPREPLY+=("$word")
  done <<<"$answer"
  [[ $directive == 0 ]] || compopt +o default +o bashdefault 2>/dev/null
}
complete -o bashdefault -o default -F _PROGRAM_complete PROGRAM kubectl-PROGRAM
)sh";

constexpr const char* kZsh = R"sh(#compdef PROGRAM kubectl-PROGRAM
# zsh completion for PROGRAM; to load it: source <(PROGRAM completion zsh)
_PROGRAM() {
  local -a lines candidates
  local line directive
  lines=("${(@f)$("${words[1]/#\~/$HOME}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  directive=${lines[-1]#:}
  for line in "${(@)lines[1,-2]}"; do
    line=${line//:/\\:}
    candidates+=("${line/$'\t'/:}")
  done
  (( ${#candidates} )) && _describe 'PROGRAM' candidates
  [[ $directive == 0 ]] && _files
  return 0
}
if [[ ${funcstack[1]-} == _PROGRAM ]]; then
  _PROGRAM "$@"
else
  compdef _PROGRAM PROGRAM kubectl-PROGRAM
fi
)sh";

constexpr const char* kFish =
    R"sh(# fish completion for PROGRAM; to load it: PROGRAM completion fish | source
function __PROGRAM_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)
    for line in $lines
        switch $line
            case ':0'
                __fish_complete_path (commandline -ct)
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c PROGRAM -f -a '(__PROGRAM_complete)'
complete -c kubectl-PROGRAM -f -a '(__PROGRAM_complete)'
)sh";

std::string filled(std::string text, const std::string& program) {
  const std::string sign = "PROGRAM";
  for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at)) {
    text.replace(at, sign.size(), program);
  }
  return text;
}

}  // namespace

std::optional<std::string> completion_script(const std::string& shell, const std::string& program) {
  if (shell == "bash") return filled(kBash, program);
  if (shell == "zsh") return filled(kZsh, program);
  if (shell == "fish") return filled(kFish, program);
  return std::nullopt;
}

}  // namespace berth::cli
