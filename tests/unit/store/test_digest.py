from nsys_walls.store.digest import content_digest, folder_digest, path_digest

MIB = 1 << 20


def test_small_files_are_hashed_whole(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"a" * 1000)
    two.write_bytes(b"a" * 999 + b"b")
    assert content_digest(one) != content_digest(two)
    two.write_bytes(b"a" * 1000)
    assert content_digest(one) == content_digest(two)


def test_large_files_are_sampled_at_both_ends_and_between(tmp_path):
    path = tmp_path / "large"
    digests = set()
    for changed in (None, 0, 13 * MIB // 2, 20 * MIB - 1):
        with path.open("wb") as file:
            file.truncate(20 * MIB)
            if changed is not None:
                file.seek(changed)
                file.write(b"x")
        digests.add(content_digest(path))
    assert len(digests) == 4


def test_a_path_can_not_be_read_from_its_hash(tmp_path):
    digest = path_digest(tmp_path / "trace.sqlite")
    assert len(digest) == 32
    assert "trace" not in digest
    assert digest == path_digest(tmp_path / "x" / ".." / "trace.sqlite")


def test_a_folder_is_the_names_and_contents_of_its_files(tmp_path):
    def made(folder, **contents):
        (tmp_path / folder).mkdir()
        for name, content in contents.items():
            (tmp_path / folder / name).write_text(content)
        return [tmp_path / folder / name for name in contents]

    digest = folder_digest(made("one", a="1", b="2"))
    assert len(digest) == 32
    assert folder_digest(made("copy", a="1", b="2")) == digest
    others = [made("swapped", a="2", b="1"), made("renamed", a="1", c="2"), made("less", a="1")]
    assert len({digest, *map(folder_digest, others)}) == 4
