"""The texts whose logits, continuations and perplexity the fixtures hold. All written for this project."""

# A chat is a list of (role, content) and is rendered with the model's own template; a string is raw.
SMOLLM2 = {
    "chat_sky": [("user", "Why is the sky blue?")],
    "chat_system": [
        ("system", "You answer in one short sentence."),
        ("user", "What does an actor in a program do?"),
    ],
    "chat_turns": [
        ("user", "Name a river in Europe."),
        ("assistant", "The Danube."),
        ("user", "Which seas do rivers like it flow into? Give two examples."),
    ],
    "chat_code": [("user", "Write a Python function that reverses a list.")],
    "code_python": (
        "def moving_average(values, width):\n"
        '    """Mean of the last `width` values at each index."""\n'
        "    total = 0.0\n    result = []\n    for index, value in enumerate(values):\n        total += value\n"
        "        if index >= width:\n"
    ),
    "code_cpp": (
        "#include <vector>\n\nint sum(const std::vector<int>& values) {\n  int total = 0;\n"
        "  for (int value : values) {\n    total += value;\n  }\n  return"
    ),
    "json": '{"name": "lamp", "price": 12.50, "tags": ["home", "light"], "stock": {"shop": 3, "store": 41}, "',
    "prose_harbour": (
        "The harbour was quiet before dawn. Two fishermen carried their nets down the wet stone steps, "
        "speaking in low voices about the weather and the price of diesel. A gull watched them from the roof of the "
        "customs house, and somewhere behind the warehouses a dog"
    ),
    "prose_science": (
        "Water boils at a lower temperature on a high mountain because the pressure of the air is smaller. "
        "At three thousand metres it boils at about ninety degrees. For the same reason, cooking rice there takes"
    ),
    "list": "Shopping list:\n1. Bread\n2. Milk\n3. Eggs\n4.",
    "arithmetic": "7 + 5 = 12\n9 + 8 = 17\n6 + 7 = 13\n15 + 4 =",
    "french": "Le chat dort sur le toit de la maison pendant que la pluie tombe doucement sur le jardin et que",
    "german_russian": "Der Zug fährt um acht Uhr ab. Поезд отправляется в восемь часов.",
    "cjk_arabic": "今日は天気がいいです。 مرحبا بالعالم 你好，世界。",
    "symbols": "∀x ∈ ℝ: x² ≥ 0 → ½·x² ≥ 0 👍🏽 café — naïve…\t\tEND\r\n",
    "one_token": "The",
}

SMOLLM2_PERPLEXITY = (
    "A lighthouse keeper named Ada lived alone on a small island for eleven years. Every evening she climbed "
    "the ninety-two steps to the lamp, cleaned the glass with a soft cloth, and lit the flame before the first "
    "ship came into view. In winter the wind shook the tower so hard that the cups on her shelf rang like small "
    "bells. She kept a journal in which she wrote the name of each ship, the direction of the wind, and one "
    "thing that had made her laugh that day. When the light was replaced by an electric one, the company "
    "offered her a house in the town. She accepted, but she asked for a window that looked out over the sea. "
    "Children who visited her later said that she could tell from the sound of an engine which boat was coming "
    "home, and that she was never wrong. Her journals are now kept in the library, where anyone may read them."
)

# Continued greedily: the prompts at whose end a model has something to say.
SMOLLM2_CONTINUED = (
    "chat_sky", "chat_system", "chat_code", "code_python", "prose_harbour", "prose_science", "list", "french",
)  # fmt: skip

STORIES = {
    "once": "Once upon a time, there was a little girl named Lily. She liked to",
    "dog": "One day, Tom and his dog went to the park. They saw a big red ball and",
    "rain": 'It was raining. "Can we go out?" asked Mia. Her mom said,',
    "empty": "",
    "bytes": "Zürich 北京 \U0001f600 42%\n",
    "end": "The end.",
}

STORIES_PERPLEXITY = (
    "Once upon a time, there was a small bird who could not sing. Every day the bird sat in a tall tree and "
    "listened to the other birds. One day, a girl named Anna came to the tree. She said, \"Do not be sad. "
    "We can learn a song.\" They sang all day, and the bird was very happy."
)

STORIES_CONTINUED = ("once", "dog", "rain", "empty", "end")

CHATML = "<|im_start|>{}\n{}<|im_end|>\n"
DEFAULT_SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"


def render(chat):
    """The model's chat template, by hand; make_golden.py checks it against the template in the file."""
    turns = chat if chat[0][0] == "system" else [("system", DEFAULT_SYSTEM), *chat]
    return "".join(CHATML.format(*turn) for turn in turns) + "<|im_start|>assistant\n"


def is_stories(model):
    return model.get("general.name") == "stories260K"


def texts_of(model):
    """name -> text of every prompt for this file, chats rendered, and "perplexity"."""
    prompts, text = (STORIES, STORIES_PERPLEXITY) if is_stories(model) else (SMOLLM2, SMOLLM2_PERPLEXITY)
    rendered = {name: p if isinstance(p, str) else render(p) for name, p in prompts.items()}
    return rendered | {"perplexity": text}
